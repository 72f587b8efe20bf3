"""One difficulty at a time: the default against simple rules and against the best view alone.

    python benchmarks/scenarios.py [--rows 1500] [--seeds 2] [--only moons,overlapping] [--out FILE]
    build/peers/bin/python benchmarks/scenarios.py --umap [...]       # after `make peers-env`, with src on PYTHONPATH
    python benchmarks/scenarios.py --draws 5 --rows 100000 [--out FILE]   # separated round clusters alone, ours alone

One JSON line per scenario, number of rows, seed and method: ACC, ARI, clusters found, and of ours also what was left
out, the warnings, and the K that ``n_clusters="auto"`` finds. The simple rules are KMeans and spectral clustering on
the views side by side, with standardized columns ("z") or unit rows; "best view" is the better of the two rules in the
view that suits it best, chosen with the labels. Missing rows are column means for these rules. UMAP + KMeans runs
alone, in an environment of its own. Lines that the journal has are not computed again. The table is in docs/quality.md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scenarios_data import SCENARIOS
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler, normalize

from manyview import AnchorGraphClustering
from manyview.metrics import accuracy

MAX_SPECTRAL_ROWS = 5_000  # beyond them its graph takes longer than everything else
MAX_AUTO_ROWS = 20_000
Line = dict[str, Any]
Key = tuple[str, int, int, str]


def main() -> None:
    """Run what the journal lacks, and print every line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_500)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", help="scenarios, separated by commas")
    parser.add_argument("--umap", action="store_true", help="UMAP + KMeans instead of everything else")
    parser.add_argument("--draws", type=int, help="that many draws of separated clusters, ours alone")
    parser.add_argument("--out", type=Path, help="journal")
    options = parser.parse_args()
    names = ["separated"] if options.draws else options.only.split(",") if options.only else list(SCENARIOS)
    known = read(options.out)
    for name in names:
        for seed in range(options.draws or options.seeds):
            for line in measure(name, options.rows, seed, known, umap=options.umap, alone=bool(options.draws)):
                print(json.dumps(line), flush=True)
                if options.out is not None:
                    with options.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")


def read(path: Path | None) -> set[Key]:
    """Return what a journal has."""
    if path is None or not path.exists():
        return set()
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    return {(line["scenario"], line["rows"], line["seed"], line["method"]) for line in lines}


def measure(name: str, n_rows: int, seed: int, known: set[Key], *, umap: bool, alone: bool) -> Iterator[Line]:
    """Yield one line per method on one draw."""
    methods = ["ours"] if alone else UMAP_METHODS if umap else [*OUR_METHODS, *RULES]
    waiting = [method for method in methods if (name, n_rows, seed, method) not in known]
    if not waiting:
        return
    views, labels = SCENARIOS[name](n_rows, np.random.default_rng((seed, list(SCENARIOS).index(name))))
    K = int(labels.max()) + 1
    for method in waiting:
        if n_rows > (MAX_SPECTRAL_ROWS if "spectral" in method else MAX_AUTO_ROWS if "auto" in method else np.inf):
            continue
        start = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found, more = (ours if method in OUR_METHODS else others)(method, views, labels, K, seed)
        line: Line = {"scenario": name, "rows": n_rows, "seed": seed, "method": method, "K": K}
        line |= {"acc": accuracy(labels, found), "ari": adjusted_rand_score(labels, found)}
        line |= {"found": len(np.unique(found)), "cpu_seconds": time.process_time() - start, **more}
        if method in OUR_METHODS:
            line["warnings"] = sorted({one.category.__name__ for one in caught})
        yield {key: round(value, 4) if isinstance(value, float) else value for key, value in line.items()}


def ours(method: str, views: dict[str, Any], labels: Any, K: int, seed: int) -> tuple[Any, Line]:
    """Return the labels of the default, and what it says about the views."""
    model = AnchorGraphClustering("auto" if method == "ours, auto" else K, random_state=seed, n_jobs=1).fit(views)
    return model.labels_, {"left out": list(model.views_left_out_)}


def others(method: str, views: dict[str, Any], labels: Any, K: int, seed: int) -> tuple[Any, Line]:
    """Return the labels of a simple rule; of "best view", the best labels and whose they are."""
    dense = [view.toarray().astype(float) if sp.issparse(view) else np.asarray(view) for view in views.values()]
    dense = [np.where(np.isnan(view), np.nanmean(view, axis=0), view) for view in dense]
    standard = [StandardScaler().fit_transform(view) for view in dense]
    if method != "best view":
        table = np.hstack(standard) if method.endswith("z") else np.hstack([normalize(view) for view in dense])
        return rule(method.split(",")[0], table, K, seed), {}
    rules = ("KMeans", "spectral") if len(labels) <= MAX_SPECTRAL_ROWS else ("KMeans",)
    tried = {(view, of): rule(of, x, K, seed) for view, x in zip(views, standard, strict=True) for of in rules}
    best = max(tried, key=lambda one: accuracy(labels, tried[one]))
    return tried[best], {"view": ", ".join(best)}


def rule(name: str, table: Any, K: int, seed: int) -> Any:
    """Return the labels of one rule on one table."""
    if name == "spectral":
        return SpectralClustering(K, affinity="nearest_neighbors", random_state=seed).fit_predict(table)
    if name == "UMAP":
        from umap import UMAP

        table = UMAP(random_state=seed).fit_transform(table)
    return KMeans(K, n_init=10, random_state=seed).fit_predict(table)


OUR_METHODS = ["ours", "ours, auto"]
RULES = ["KMeans, z", "KMeans, unit rows", "spectral, z", "spectral, unit rows", "best view"]
UMAP_METHODS = ["UMAP, z", "UMAP, unit rows"]

if __name__ == "__main__":
    main()
