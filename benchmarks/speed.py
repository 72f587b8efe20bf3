"""Seconds and memory of SemiNTF.fit beside twenty Lloyd passes of scikit-learn's KMeans, in the same run.

    python benchmarks/speed.py [--rows 20000 200000] [--repeats 3]

Three views of 20, 50 and 30 columns, K = 10. Every measurement has a process of its own; times are the best of the
repeats, because other work on the machine can only add to them. Memory is the peak above what the input takes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

from manyview import SemiNTF
from manyview.datasets import make_views

WIDTHS = (20, 50, 30)
K = 10


def measure(method: str, n_rows: int) -> dict[str, float]:
    """One fit in this process."""
    from sklearn.cluster import KMeans

    data = make_views(n_rows, K, widths=WIDTHS, separation=3.0, random_state=0)
    views = list(data.views.values())
    input_bytes = sum(view.nbytes for view in views)
    stamps: list[tuple[str, int, float]] = []
    X = np.hstack(views) if method == "KMeans" else views
    before = peak_bytes()
    start = time.perf_counter()
    if method == "KMeans":
        KMeans(K, n_init=1, max_iter=20, tol=0, random_state=0).fit(X)
    else:
        note = lambda stage, done, total: stamps.append((stage, done, time.perf_counter()))  # noqa: E731
        SemiNTF(K, random_state=0, verbose=note).fit(X)
    end = time.perf_counter()
    iterations = [stamp for stage, _, stamp in stamps if stage == "factorization"]
    return {
        "seconds": end - start,
        "peak_above_input": float(peak_bytes() - before),
        "input": float(input_bytes),
        "seconds_per_iteration": (iterations[-1] - iterations[0]) / max(len(iterations) - 1, 1) if iterations else 0.0,
        "iterations": float(max(len(iterations) - 1, 0)),
        **{f"stage {stage}": seconds for stage, seconds in stage_seconds(stamps, end).items()},
    }


def stage_seconds(stamps: list[tuple[str, int, float]], end: float) -> dict[str, float]:
    """Seconds between the first report of every stage and the first of the next."""
    firsts = {stage: stamp for stage, _, stamp in reversed(stamps)}
    names = list(dict.fromkeys(stage for stage, _, _ in stamps))
    stops = [*(firsts[name] for name in names[1:]), end][: len(names)]
    return {name: stop - firsts[name] for name, stop in zip(names, stops, strict=True)}


def peak_bytes() -> int:
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_a_process(method: str, n_rows: int) -> dict[str, float]:
    """Run one measurement in a fresh interpreter."""
    command = [sys.executable, __file__, "--one", method, str(n_rows)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(output)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("METHOD", "ROWS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one[0], int(options.one[1]))))
        return
    print(
        "| rows | SemiNTF s | 20 Lloyd passes s | ratio | iterations | s / iteration | peak above input MB | goal MB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for n_rows in options.rows:
        ours, theirs = (
            min((in_a_process(method, n_rows) for _ in range(options.repeats)), key=lambda run: run["seconds"])
            for method in ("SemiNTF", "KMeans")
        )
        goal = 3 * ours["input"] + n_rows * K * len(WIDTHS) * 40
        print(
            f"| {n_rows:,} | {ours['seconds']:.2f} | {theirs['seconds']:.2f} | "
            f"{ours['seconds'] / theirs['seconds']:.1f} | {ours['iterations']:.0f} | "
            f"{ours['seconds_per_iteration']:.4f} | {ours['peak_above_input'] / 1e6:.0f} | {goal / 1e6:.0f} |"
        )
        stages = ", ".join(f"{name[6:]} {ours[name]:.2f}" for name in ours if name.startswith("stage "))
        print(f"|  | {stages} | | | | | | |", flush=True)


if __name__ == "__main__":
    main()
