"""The README's table: accuracy of SemiNTF's defaults and of the best of four simple peers, on shuffled rows.

    python benchmarks/quality_table.py [--data ../shared/data] [--out build/quality] [--readme README.md]

Runs ``quality.toml`` (cells that have run with the same code and data are not run again), prints the table and, with
``--readme``, puts it between that file's two markers. The best peer is chosen per data set and score with the labels,
after the fact: a favour that no user has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from manyview.bench import read_results, run_plan, summarise
from manyview.bench.summary import Entry

HERE = Path(__file__).parent
OURS, COUPLED, PEER = "SemiNTF", "SemiNTF-clusters", "concat-"
PEER_NAMES = {"kmeans": "KMeans", "spectral": "Spectral", "z": "standardised", "l2": "unit rows"}
BEGIN, END = "<!-- quality table: begin -->", "<!-- quality table: end -->"


def main() -> None:
    """Measure, print, and write into the README if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data", help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "quality", help="folder of the run")
    parser.add_argument("--readme", type=Path, help="file to put the table into")
    options = parser.parse_args()
    run = run_plan(HERE / "quality.toml", options.out, data_dir=options.data)
    summary = summarise(options.out)
    for failure in summary.failures:
        print(f"failed: {failure.data}, {failure.label}: {failure.reason}", file=sys.stderr)
    lines = quality_table(summary.entries, sizes(options.out))
    print("\n".join(lines))
    if options.readme is not None and run.failed == 0:
        put(options.readme, lines)


def sizes(out: Path) -> dict[str, tuple[int, int]]:
    """Rows and clusters of every data set, from the journal."""
    rows = [row for row in read_results(out) if row["status"] == "ok"]
    return {
        row["inputs"]["data"]["name"]: (row["result"]["n_samples"], row["result"]["n_clusters"])
        for row in rows
        if row["inputs"]["method"]["name"].startswith(PEER)  # peers never lose a cluster
    }


def quality_table(entries: Iterable[Entry], sizes: dict[str, tuple[int, int]]) -> list[str]:
    """Markdown lines, a data set each, and the means."""
    known = {(entry.data, entry.method, entry.metric): entry for entry in entries if entry.mean is not None}
    lines = [
        "| data | rows | K | SemiNTF ACC | NMI | best simple peer ACC | best NMI | best in ACC |",
        "|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    shown: list[tuple[float, ...]] = []
    for data, (n_rows, n_clusters) in sizes.items():
        ours = [known[data, OURS, metric] for metric in ("acc", "nmi")]
        peers = {metric: best_peer(known.values(), data, metric) for metric in ("acc", "nmi")}
        cells = [*map(spoken, ours), spoken(peers["acc"]), spoken(peers["nmi"]), peer_name(peers["acc"].method)]
        lines.append(f"| {data} | {n_rows} | {n_clusters} | " + " | ".join(cells) + " |")
        shown.append(tuple(value(entry) for entry in (*ours, peers["acc"], peers["nmi"])))
    means = " | ".join(f"**{fmean(column):.3f}**" for column in zip(*shown, strict=True))
    lines.append(f"| **mean** | | | {means} | |")
    return [*lines, "", coupling_sentence(known, list(sizes))]


def best_peer(entries: Iterable[Entry], data: str, metric: str) -> Entry:
    """The simple peer with the largest mean."""
    return max((e for e in entries if (e.data, e.metric) == (data, metric) and e.method.startswith(PEER)), key=value)


def coupling_sentence(known: dict[tuple[str, str, str], Entry], names: list[str]) -> str:
    """What the tensor norm changes on the same data."""
    change = [value(known[name, COUPLED, "acc"]) - value(known[name, OURS, "acc"]) for name in names]
    return (
        'With one H per slice and the tensor Schatten norm (`coupling="clusters"`) instead of one shared H, the mean\n'
        f"ACC of the same runs changes by {fmean(change):+.4f} "
        f"(between {min(change):+.3f} and {max(change):+.3f} on a data set)."
    )


def value(entry: Entry) -> float:
    """The mean, which entries without a value do not have."""
    assert entry.mean is not None
    return entry.mean


def spoken(entry: Entry) -> str:
    """Mean and standard deviation over the seeds."""
    return f"{value(entry):.3f}" + ("" if entry.sd is None else f" ± {entry.sd:.3f}")


def peer_name(method: str) -> str:
    """concat-kmeans-z -> KMeans, standardised."""
    return ", ".join(PEER_NAMES[word] for word in method.removeprefix(PEER).split("-"))


def put(path: Path, lines: list[str]) -> None:
    """Replace what stands between the markers."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: needs the lines {BEGIN} and {END}")
    path.write_text("\n".join([before + begin, *lines, end + after]), encoding="utf-8")


if __name__ == "__main__":
    main()
