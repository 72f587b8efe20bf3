"""Scores of the defaults on two halves of the data sets: what is chosen on one half is reported on the other, too.

    python benchmarks/quality/halves.py [--data ../shared/data] [--seeds 3] [--only msrcv1_5,…] [--large] [--out FILE]
    python benchmarks/quality/halves.py --compare before.jsonl after.jsonl

The halves follow a fixed rule: small data sets sorted by name, half A those in odd positions (first, third, …), half B
the others. Rows are shuffled, K is given. One JSON line a fit; ``--recipe n_draws=1`` changes a constant of the recipe.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview import AnchorGraphClustering, Recipe
from manyview.datasets import read_views
from manyview.metrics import clustering_scores

ROOT = Path(__file__).resolve().parents[2]
OLD = (
    *("100leaves", "3sources", "bbcsport", "cora", "handwritten", "hw2sources", "hw4", "landuse21", "mnist4"),
    *("msrcv1_5", "ngs", "orl4", "prokaryotic", "proteinfold", "reuters1200", "scene15", "tcga_breast"),
    *("webkb1051", "webkb203", "wikipedia"),
)
NEW = ("bdgp", "ccv", "cub_c10", "texas")
LARGE = ("aloi100", "mnist70k", "musae_facebook", "news20")
SMALL = tuple(sorted((*OLD, *NEW)))
GROUPS = {"half A": SMALL[::2], "half B": SMALL[1::2], "old 20": OLD, "new 4": NEW, "large 4": LARGE}
Line = dict[str, Any]


def main() -> None:
    """Run and print, or compare two journals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", help="data sets, separated by commas")
    parser.add_argument("--large", action="store_true", help="the large data sets instead of the small ones")
    parser.add_argument("--recipe", nargs="*", default=[], metavar="NAME=VALUE", help="changed constants")
    parser.add_argument("--decimals", type=int, help="round the input: how much does that move the result?")
    parser.add_argument("--out", type=Path, help="journal; fits that it has are not run again")
    parser.add_argument("--compare", nargs="+", type=Path, help="journals to print side by side")
    options = parser.parse_args()
    if options.compare:
        print("\n".join(table([read(path) for path in options.compare])))
        return
    recipe = Recipe(**{name: ast.literal_eval(value) for name, value in (pair.split("=") for pair in options.recipe)})
    names = options.only.split(",") if options.only else LARGE if options.large else SMALL
    lines = run(options.data, tuple(names), options.seeds, recipe, options.out, decimals=options.decimals)
    print("\n".join(table([lines])))


def read(path: Path | None) -> list[Line]:
    """Return the fits of a journal, none where there is no file."""
    exists = path is not None and path.exists()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if exists else []  # type: ignore[union-attr]


def run(
    folder: Path, names: tuple[str, ...], n_seeds: int, recipe: Recipe, out: Path | None, *, decimals: int | None
) -> list[Line]:
    """Fit every data set with every seed, unless the journal has it."""
    lines = read(out)
    done = {(line["data"], line["seed"], line.get("decimals")) for line in lines}
    for name in names:
        for seed in range(n_seeds):
            if (name, seed, decimals) not in done:
                own = fit(folder / f"{name}.npz", seed, recipe, decimals)
                lines.append({"data": name, "seed": seed, "decimals": decimals, **own})
                if out is not None:
                    with out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(lines[-1]) + "\n")
    return [line for line in lines if line.get("decimals") == decimals]


def fit(path: Path, seed: int, recipe: Recipe, decimals: int | None) -> Line:
    """Return scores, CPU seconds and what was left out of one fit."""
    data = read_views(path)
    order = np.random.default_rng(100 + seed).permutation(data.n_samples)
    views = {name: view[order] for name, view in data.views.items()}
    if decimals is not None:
        views = {name: _rounded(view, decimals) for name, view in views.items()}
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AnchorGraphClustering(data.n_clusters, recipe=recipe, random_state=seed, n_jobs=1).fit(views)
    seconds = time.process_time() - start
    assert data.labels is not None
    scores = clustering_scores(data.labels[order], model.labels_)
    return {
        "acc": round(scores["acc"], 4),
        "nmi": round(scores["nmi_arithmetic"], 4),
        "cpu_seconds": round(seconds, 2),
        "left_out": list(model.views_left_out_),
    }


def _rounded(view: Any, decimals: int) -> Any:
    if not sp.issparse(view):
        return np.round(view, decimals)
    view = view.copy()
    view.data = np.round(view.data, decimals)
    return view


def table(journals: list[list[Line]]) -> list[str]:
    """Return Markdown: every data set and every group, the journals beside one another."""
    names = [name for name in (*SMALL, *LARGE) if all(any(line["data"] == name for line in j) for j in journals)]
    rows = [
        "| data |" + " ACC ± sd | NMI | CPU s | left out |" * len(journals),
        "|---|" + "--:|--:|--:|---|" * len(journals),
    ]
    rows += [
        f"| {name} | " + " | ".join(_cells([x for x in j if x["data"] == name]) for j in journals) + " |"
        for name in names
    ]
    for group, members in GROUPS.items():
        if known := [name for name in members if name in names]:
            cells = " | ".join(_mean([[x for x in j if x["data"] == name] for name in known]) for j in journals)
            rows.append(f"| **{group}** ({len(known)}) | {cells} |")
    return rows


def _cells(lines: list[Line]) -> str:
    acc = [line["acc"] for line in lines]
    out = ",".join(sorted({view for line in lines for view in line["left_out"]}))
    return f"{np.mean(acc):.3f} ± {np.std(acc):.3f} | {_of(lines, 'nmi'):.3f} | {_of(lines, 'cpu_seconds'):.2f} | {out}"


def _mean(sets: list[list[Line]]) -> str:
    acc, nmi, seconds = (np.mean([_of(lines, key) for lines in sets]) for key in ("acc", "nmi", "cpu_seconds"))
    return f"{acc:.4f} | {nmi:.4f} | {seconds:.2f} | "


def _of(lines: list[Line], key: str) -> float:
    return float(np.mean([line[key] for line in lines]))


if __name__ == "__main__":
    main()
