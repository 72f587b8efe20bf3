"""The eight baselines beside what their authors' own programs returned: every cell, from the same starts.

    python benchmarks/reference.py [--shared ../shared] [--out build/reference.json] [--page docs/baselines.md]

Rows in file order, the settings of the reference. Where the authors' program started at random, ours gets its saved
start or anchors, and is then run again from starts of its own. Cells that are in the JSON file are not run again.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import manyview
from manyview.metrics import accuracy, adjusted_rand_index

HERE = Path(__file__).parent
RANDOM = ("AMGL", "CSMSC", "FMCNOF", "LMVSC", "SMSC")
LEFT_OUT = re.compile(r"octkm|,qr|uncapped|float64original")  # the same runs by other routes; see the provenance notes
OWN_SEEDS = 5
SAME = 0.99  # ARI from which on two labelings count as the same
Cell = dict[str, Any]


def main() -> None:
    """Run what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=HERE.parent.parent / "shared")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "reference.json")
    parser.add_argument("--page", type=Path, help="page to put the table into")
    parser.add_argument("--methods", nargs="+", help="only these")
    parser.add_argument("--skip", nargs="+", default=[], help="data sets to leave out")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    done: dict[str, Cell] = json.loads(options.out.read_text()) if options.out.exists() else {}
    runs = json.loads((options.shared / "reference" / "results.json").read_text())
    for key, theirs in cells(runs):
        method, setting, data = key
        if "|".join(key) in done or data in options.skip or (options.methods and method not in options.methods):
            continue
        done["|".join(key)] = compare(method, setting, data, theirs, options.shared)
        options.out.write_text(json.dumps(done, indent=1))
        print(*key, done["|".join(key)], flush=True)
    lines = table(done)
    print("\n".join(lines))
    if options.page:
        page = filled(options.page.read_text(encoding="utf-8"), "cells", lines)
        options.page.write_text(filled(page, "summary", summary(lines)), encoding="utf-8")


def cells(runs: list[Cell]) -> Iterable[tuple[tuple[str, str, str], list[Cell]]]:
    """Runs of the reference by method, setting and data set."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for run in runs:
        setting = "default" if run["setting"].startswith("env") else run["setting"]
        if not LEFT_OUT.search(setting):
            groups.setdefault((run["method"], setting, run["dataset"]), []).append(run)
    return groups.items()


def compare(method: str, setting: str, data: str, theirs: list[Cell], shared: Path) -> Cell:
    """One cell: ours from every saved start, and from starts of our own."""
    with np.load(shared / "data" / f"{data}.npz") as file:
        views = [file[f"view_{v}"].astype(float) for v in range(sum(k.startswith("view_") for k in file))]
        labels = np.unique(file["labels"], return_inverse=True)[1]
    K = int(labels.max()) + 1
    same, scores, seconds, worst = [], [], [], 0.0
    for run in theirs:
        if run["status"] != "ok":
            continue
        aux = dict(np.load(shared / "reference" / run["aux_file"])) if run.get("aux_file") else {}
        model, elapsed = fitted(method, K, views, parameters(method, setting, views, aux), run["seed"])
        known = np.loadtxt(shared / "reference" / run["labels_file"], dtype=int)
        same.append(float(adjusted_rand_index(known, model.labels_)))
        scores.append(accuracy(labels, model.labels_))
        seconds.append(elapsed)
        worst = max(worst, difference(method, model, aux))
    own = [
        accuracy(labels, fitted(method, K, views, parameters(method, setting, views, {}), seed)[0].labels_)
        for seed in range(OWN_SEEDS if method in RANDOM else 1)
    ]
    finished = [run for run in theirs if run["status"] == "ok"]
    return {
        "theirs": [run["acc"] for run in finished],
        "status": theirs[0]["status"],
        "ours": scores,
        "ari": same,
        "own": own,
        "difference": worst,
        "seconds_theirs": float(np.mean([run["seconds"] for run in finished])) if finished else None,
        "seconds_ours": float(np.mean(seconds)) if seconds else None,
    }


def fitted(method: str, K: int, views: list[Any], options: Cell, seed: int) -> tuple[Any, float]:
    """A fitted model and the seconds it took."""
    estimator = getattr(manyview, method)(n_clusters=K, **options)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(views)
    return estimator, time.perf_counter() - start


def parameters(method: str, setting: str, views: list[Any], aux: Cell) -> Cell:
    """The reference's setting, and its saved start, as parameters of ours."""
    edges = np.cumsum([view.shape[1] for view in views])[:-1]
    found = dict(re.findall(r"(\w+)=([\d.]+)", setting))
    if method == "LMVSC":
        anchors = {"anchors": np.split(aux["anchors"], edges, axis=1)} if aux else {}
        return {"n_anchors": int(found["m"]), "alpha": float(found["alpha"]), **anchors}
    if method == "FMCNOF":
        return {"anchors": np.split(aux["anchors"], edges, axis=1), "init": aux["G0"]} if aux else {}
    if method == "SMSC":
        return {"variant": "released", "init": aux["F0"]} if aux else {}
    if method == "CSMSC" and found:
        return {"lambda_c": float(found["lc"]), "lambda_d": float(found["ld"])}
    if method == "MVGL":
        return {"local": "local1" in setting}
    if method == "SFMC":
        share = float(match[1]) if (match := re.search(r"rate([\d.]+)", setting)) else 0.5
        return {"n_anchors": share, **({"anchors": aux["anchor_idx_0based"]} if aux else {})}
    return {}


def difference(method: str, model: Any, aux: Cell) -> float:
    """Largest relative difference of the numbers behind the labels, where the method has comparable ones."""
    if method == "AMGL":
        objective = model.history_["objective"]
        return abs(float(objective[-1]) - aux["obj"][-1]) / abs(aux["obj"][-1])
    if method == "LMVSC":
        return float(np.max(np.abs(model.singular_values_ - aux["singular_values"]) / aux["singular_values"][0]))
    if method == "CSMSC":
        ours = np.asarray(model.eigenvalues_)
        return float(np.max(np.abs(ours - aux["eigenvalues"].ravel()[: len(ours)])))
    return 0.0


def table(done: dict[str, Cell]) -> list[str]:
    """Markdown lines, a cell each."""
    lines = [
        "| method | setting | data | ACC theirs | ours, their start | ours, own start | ARI (lowest) "
        "| numbers differ | s theirs | s ours |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for key, cell in sorted(done.items()):
        method, setting, data = key.split("|")
        theirs = spread(cell["theirs"]) if cell["theirs"] else cell["status"].split(":")[0]
        lowest = f"{min(cell['ari']):.3f}" if cell["ari"] else "-"
        differ = f"{cell['difference']:.0e}" if method in ("AMGL", "LMVSC", "CSMSC") and cell["ari"] else "-"
        clock = [f"{cell[name]:.1f}" if cell[name] else "-" for name in ("seconds_theirs", "seconds_ours")]
        values = [theirs, spread(cell["ours"]), spread(cell["own"]), lowest, differ, *clock]
        lines.append(f"| {method} | {setting} | {data} | " + " | ".join(values) + " |")
    return lines


def summary(lines: list[str]) -> list[str]:
    """Return a row per method from the lines of the table: how many cells agree, and where most differ."""
    found: dict[str, list[tuple[float | None, str]]] = {}
    for line in lines[2:]:
        method, setting, data, _, _, _, lowest, *_ = [cell.strip() for cell in line.strip("|").split("|")]
        found.setdefault(method, []).append((None if lowest == "-" else float(lowest), f"{data}, {setting}"))
    made = [
        f"| method | cells | compared | same labels (ARI ≥ {SAME:.2f}) | lowest ARI | where |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for method, cells_of_it in found.items():
        known = [(ari, place) for ari, place in cells_of_it if ari is not None]
        least, place = min(known)
        same = sum(ari >= SAME for ari, _ in known)
        made.append(
            f"| {method} | {len(cells_of_it)} | {len(known)} | {same} | {least:.2f} | {place if least < SAME else ''} |"
        )
    return made


def filled(page: str, name: str, lines: list[str]) -> str:
    """Return a page with other lines between the marks of a block."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = page.partition(begin)
    return "\n".join([before + begin, *lines, end + rest.partition(end)[2]])


def block(page: str, name: str) -> list[str]:
    """Return the lines between the marks of a block."""
    return page.partition(f"<!-- {name}: begin -->\n")[2].partition(f"\n<!-- {name}: end -->")[0].splitlines()


def spread(values: list[float]) -> str:
    """Mean, and standard deviation where there are several."""
    if not values:
        return "-"
    return f"{np.mean(values):.3f}" + (f" ± {np.std(values):.3f}" if len(values) > 1 else "")


if __name__ == "__main__":
    main()
