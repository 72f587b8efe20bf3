"""One difficulty at a time: the default against simple rules and against the best view alone.

    python benchmarks/scenarios.py [--rows 1500] [--seeds 1] [--only moons,overlapping] [--umap]

Prints a table: ACC and ARI of AnchorGraphClustering with the true K, what it left out and warned of; the ACC of KMeans
and spectral clustering on the standardized views side by side, of KMeans on unit rows, and of KMeans in the view that
suits it best, which is chosen with the labels. Missing rows are means for the simple rules. ``--umap`` adds KMeans on
the UMAP embedding of the standardized views, where the package is installed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scenarios_data import SCENARIOS
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler, normalize

from manyview import AnchorGraphClustering
from manyview.metrics import accuracy

Result = dict[str, Any]
MAX_SPECTRAL_ROWS = 5_000  # beyond them its graph takes longer than everything else


def main() -> None:
    """Run the scenarios and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_500)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", help="scenarios, separated by commas")
    parser.add_argument("--umap", action="store_true")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(SCENARIOS)
    rules = ["k-means z", "k-means rows", "spectral z", "best view", *(["UMAP"] if options.umap else [])]
    print(f"| scenario | ACC | ARI | {' | '.join(rules)} | left out | warnings | CPU s |")
    print("|---|--:|--:|" + "--:|" * len(rules) + "---|---|--:|")
    for name in names:
        results = [measure(name, options.rows, seed, umap=options.umap) for seed in range(options.seeds)]
        scores = " | ".join(f"{np.mean([r[key] for r in results]):.3f}" for key in ("ACC", "ARI", *rules))
        said = [", ".join(sorted({text for r in results for text in r[key]})) for key in ("left out", "warnings")]
        seconds = np.mean([r["CPU s"] for r in results])
        print(f"| {name} | {scores} | {said[0]} | {said[1]} | {seconds:.1f} |", flush=True)


def measure(name: str, n_rows: int, seed: int, *, umap: bool) -> Result:
    """Return the scores of all methods on one draw."""
    views, labels = SCENARIOS[name](n_rows, np.random.default_rng((seed, list(SCENARIOS).index(name))))
    K = int(labels.max()) + 1
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = AnchorGraphClustering(K, random_state=seed, n_jobs=1).fit(views)
    result = {
        "ACC": accuracy(labels, model.labels_),
        "ARI": adjusted_rand_score(labels, model.labels_),
        "left out": model.views_left_out_,
        "warnings": [one.category.__name__ for one in caught],
        "CPU s": time.process_time() - start,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = simple_rules(list(views.values()), K, seed, umap=umap)
    return result | {rule: max(accuracy(labels, of) for of in several) for rule, several in found.items()}


def simple_rules(views: list[Any], K: int, seed: int, *, umap: bool) -> dict[str, list[Any]]:
    """Return the labels that every rule gives; several where the labels choose among them."""
    dense = [view.toarray().astype(float) if sp.issparse(view) else np.asarray(view) for view in views]
    dense = [np.where(np.isnan(view), np.nanmean(view, axis=0), view) for view in dense]
    standard = [StandardScaler().fit_transform(view) for view in dense]
    z, rows = np.hstack(standard), np.hstack([normalize(view) for view in dense])
    k_means = KMeans(K, n_init=10, random_state=seed)
    found = {"k-means z": [k_means.fit_predict(z)], "k-means rows": [k_means.fit_predict(rows)]}
    spectral = SpectralClustering(K, affinity="nearest_neighbors", random_state=seed)
    found["spectral z"] = [spectral.fit_predict(z)] if len(z) <= MAX_SPECTRAL_ROWS else [np.zeros(len(z), int)]
    found["best view"] = [k_means.fit_predict(view) for view in standard]
    if umap:
        from umap import UMAP

        found["UMAP"] = [k_means.fit_predict(UMAP(random_state=seed).fit_transform(z))]
    return found


if __name__ == "__main__":
    main()
