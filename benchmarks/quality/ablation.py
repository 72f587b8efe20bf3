"""What every ingredient of the default recipe is worth: the same fits with one thing taken out.

    python benchmarks/quality/ablation.py run [--data ../shared/data] [--seeds 2] [--only default,…]
    python benchmarks/quality/ablation.py table

Rows shuffled, true K, 20 shared data sets. One JSON line a fit in ``docs/results/ablation.jsonl``; a line that is there
is not run again. Conditions: ``plain``; ``noise``: three views of 50 standard normal columns added; ``missing``: every
row of every view absent with probability 0.3, but not from all views. The table has the mean over the data sets of the
difference to the default, and its standard error over the data sets. The last lines choose a recipe for every data set
by the mean of all others: what the defaults would score if they had been chosen without that set.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from choose_k import LEFT_OUT, ROOT, load

from manyview import AnchorGraphClustering, NoiseViewWarning, Recipe, SemiNTF
from manyview.metrics import clustering_scores

JOURNAL = ROOT / "docs" / "results" / "ablation.jsonl"
ALL_SLICES_ALIKE, NO_VOTE = 0.0, np.inf
Result = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """A line of the table: the estimator, its parameters, and what differs in the recipe."""

    label: str
    parameters: dict[str, Any] = field(default_factory=dict)
    recipe: dict[str, Any] = field(default_factory=dict)
    estimator: type[AnchorGraphClustering] | type[SemiNTF] = AnchorGraphClustering


RECIPES = {
    "default": Variant("the default"),
    "factorized": Variant("followed by the factorization, one H (SemiNTF)", estimator=SemiNTF),
    "tensor": Variant("followed by it, one H per slice, Schatten norm", {"coupling": "clusters"}, estimator=SemiNTF),
    "unwhitened": Variant("no partial whitening", recipe={"partial_whitening": False}),
    "standard": Variant("one geometry, standardized, for every view", {"scale": "standard"}),
    "joint": Variant("no slice weights: joint tables alone", recipe={"candidate_graphs": ("joint",)}),
    "draw": Variant("one draw of the anchors", recipe={"n_draws": 1}),
    "silent": Variant("the candidates do not vote", recipe={"vote_power": NO_VOTE}),
    "alike": Variant("all slices alike", recipe={"smoothness_power": ALL_SLICES_ALIKE}),
    "agreement": Variant("the best candidate by agreement alone", recipe={"separation_weight": 0.0}),
    "separation": Variant("the best candidate by separation alone", recipe={"separation_weight": 1e6}),
    "embedding": Variant("one embedding, K vectors", recipe={"embeddings": ((1.0, 1),)}),
    "narrow": Variant("5 neighbors", {"n_neighbors": 5}),
    "wide": Variant("10 neighbors", {"n_neighbors": 10}),
    "random": Variant("anchors drawn at random", {"anchors": "random"}),
    "keep": Variant("no view is left out", recipe={"doubt": -np.inf}),
}
CONDITIONS = {
    "plain": tuple(RECIPES),
    "noise": ("default", "keep", "factorized", "tensor"),
    "missing": ("default", "factorized", "tensor"),
}


def main() -> None:
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("run", "table"))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", help="recipes, separated by commas")
    parser.add_argument("--out", type=Path, default=JOURNAL)
    options = parser.parse_args()
    if options.task == "run":
        run(options.data, options.seeds, options.only.split(",") if options.only else list(RECIPES), options.out)
    print("\n".join(tables(read(options.out))))


def read(path: Path) -> list[Result]:
    """The fits so far."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def run(folder: Path, seeds: int, recipes: list[str], out: Path) -> None:
    """All fits that are not in the journal yet."""
    done = {(line["condition"], line["recipe"], line["data"], line["seed"]) for line in read(out)}
    with out.open("a", encoding="utf-8") as journal:
        for condition, recipe, path, seed in _cells(folder, seeds, recipes):
            if (condition, recipe, path.stem, seed) not in done:
                views, truth = load(path, seed)
                line = {"condition": condition, "recipe": recipe, "data": path.stem, "seed": seed}
                journal.write(json.dumps(line | fit(recipe, spoiled(condition, views, seed), truth, seed)) + "\n")
                journal.flush()


def _cells(folder: Path, seeds: int, recipes: list[str]) -> Iterator[tuple[str, str, Path, int]]:
    paths = [path for path in sorted(folder.glob("*.npz")) if path.stem != LEFT_OUT]
    for seed in range(seeds):
        for condition, known in CONDITIONS.items():
            for recipe in known:
                if recipe in recipes:
                    yield from ((condition, recipe, path, seed) for path in paths)


def spoiled(condition: str, views: list[Any], seed: int) -> list[Any]:
    """The views as the condition wants them."""
    rng = np.random.default_rng(1000 + seed)
    n = len(views[0])
    if condition == "noise":
        return [*views, *(rng.standard_normal((n, 50)) for _ in range(3))]
    if condition == "missing":
        absent = rng.random((len(views), n)) < 0.3
        absent[rng.integers(len(views), size=n), np.arange(n)] = False
        return [np.where(gone[:, None], np.nan, view) for view, gone in zip(views, absent, strict=True)]
    return views


def fit(recipe: str, views: list[Any], truth: Any, seed: int) -> Result:
    """Scores and seconds of one fit."""
    variant = RECIPES[recipe]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoiseViewWarning)
        parameters = {"random_state": seed, "recipe": Recipe(**variant.recipe), **variant.parameters}
        model = variant.estimator(int(truth.max()) + 1, **parameters).fit(views)
    scores = clustering_scores(truth, model.labels_)
    return {
        "acc": round(scores["acc"], 6),
        "nmi": round(scores["nmi_arithmetic"], 6),
        "cpu_seconds": round(time.process_time() - start, 2),
        "left_out": model.views_left_out_,
    }


def tables(lines: list[Result]) -> list[str]:
    """Markdown: a recipe each, per condition; and the recipe chosen on the other sets."""
    rows = []
    for condition, recipes in CONDITIONS.items():
        base = means(lines, condition, "default")
        rows += [
            f"| {condition} | ACC | NMI | difference in ACC | in NMI | largest loss |",
            "|---|--:|--:|--:|--:|---|",
        ]
        for recipe in recipes:
            own = means(lines, condition, recipe)
            names = sorted(base.keys() & own.keys())
            if names:
                rows.append(_row(RECIPES[recipe].label, np.array([own[n] for n in names]), base, names, recipe))
        rows.append("")
    return [*rows, *left_one_out(lines)]


def _row(label: str, own: Any, base: dict[str, Any], names: list[str], recipe: str) -> str:
    mean = own.mean(axis=0)
    text = f"| {label} | {mean[0]:.4f} | {mean[1]:.4f} "
    if recipe == "default":
        return text + f"| | | ({len(names)} sets) |"
    change = own - np.array([base[name] for name in names])
    error = change.std(axis=0, ddof=1) / np.sqrt(len(names))
    worst = int(change[:, 0].argmin())
    parts = [f"{change[:, i].mean():+.4f} ± {error[i]:.4f}" for i in range(2)]
    return text + f"| {parts[0]} | {parts[1]} | {names[worst]} {change[worst, 0]:+.3f} |"


def means(lines: list[Result], condition: str, recipe: str) -> dict[str, Any]:
    """ACC and NMI of every data set, over the seeds."""
    chosen = [line for line in lines if (line["condition"], line["recipe"]) == (condition, recipe)]
    return {
        name: np.mean([(line["acc"], line["nmi"]) for line in chosen if line["data"] == name], axis=0)
        for name in {line["data"] for line in chosen}
    }


def left_one_out(lines: list[Result]) -> list[str]:
    """The scores of the recipe that is best on all other sets, for every set."""
    table = {recipe: means(lines, "plain", recipe) for recipe in CONDITIONS["plain"]}
    full = max(map(len, table.values()), default=0)
    table = {recipe: scores for recipe, scores in table.items() if full and len(scores) == full}
    if "default" not in table:
        return []
    names = sorted(table["default"])

    def chosen_without(name: str) -> str:
        return max(table, key=lambda recipe: np.mean([table[recipe][n][0] for n in names if n != name]))

    chosen = [chosen_without(name) for name in names]
    score = np.mean([table[recipe][name] for recipe, name in zip(chosen, names, strict=True)], axis=0)
    plain = np.mean([table["default"][name] for name in names], axis=0)
    how = ", ".join(f"{recipe} {chosen.count(recipe)}x" for recipe in dict.fromkeys(chosen))
    return [
        f"Chosen on the other sets: ACC {score[0]:.4f}, NMI {score[1]:.4f}; the default itself {plain[0]:.4f}, "
        f"{plain[1]:.4f}. Recipes chosen: {how}."
    ]


if __name__ == "__main__":
    main()
