"""Seconds and peak memory of all nine methods on mnist4 and on the shape of Reuters, in one table.

    python benchmarks/baselines.py [--data ../shared/data] [--out build/baselines]

Runs ``baselines.toml``, one process per cell, one after the other; what has run with the same code is not run again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from manyview.bench import read_results, run_plan

HERE = Path(__file__).parent
METHODS = ("SemiNTF", "LMVSC", "SFMC", "FMCNOF", "AMGL", "SMSC", "GMC", "MVGL", "CSMSC")
DATA = ("mnist4", "reuters-shape")
SAMPLE_GRAPH = "not run: compares all pairs of 18,758 documents in five views, and labels no new ones"
NOT_RUN = {
    **dict.fromkeys(("AMGL", "SMSC", "GMC", "MVGL"), SAMPLE_GRAPH),
    "CSMSC": "does not apply: seven dense 18,758 x 18,758 matrices, 20 GB",
}


def main() -> None:
    """Measure what has not been measured, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "baselines", help="folder of the run")
    options = parser.parse_args()
    run_plan(HERE / "baselines.toml", options.out, data_dir=options.data)
    print("\n".join(table(read_results(options.out))))


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Markdown lines, a method each."""
    found = {(row["inputs"]["method"]["name"], row["inputs"]["data"]["name"]): row for row in rows}
    lines = [
        "| method | mnist4 s | peak MB | ACC | Reuters shape s | peak MB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for method in METHODS:
        small, large = (found.get((method, data)) for data in DATA)
        accuracy = f"{small['result']['scores']['acc']:.3f}" if small and small["status"] == "ok" else "-"
        lines.append(f"| {method} | {cost(small, '-')} | {accuracy} | {cost(large, NOT_RUN.get(method, '-'))} |")
    return lines


def cost(row: dict[str, Any] | None, otherwise: str) -> str:
    """Two cells: seconds of the fit and peak memory, or why there are none."""
    if row is None:
        return f"{otherwise} | "
    if row["status"] != "ok":
        return f"{row['status']} | "
    return f"{row['measured']['seconds']:.1f} | {row['measured']['peak_mb']:.0f}"


if __name__ == "__main__":
    main()
