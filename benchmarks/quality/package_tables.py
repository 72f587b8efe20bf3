"""Tables of what other packages make of the same data, from ``packages.jsonl`` (ours also from ``defaults.jsonl``),
``large.jsonl`` and ``large-ours.jsonl``.

The plans are benchmarks/peers/packages.toml and benchmarks/peers/large.toml; `halves.py` writes our lines on the large
data sets, with and without rounding of the input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

Line = dict[str, Any]
OURS = "AnchorGraphClustering"
PEERS = {
    "UMAP + KMeans, z": "UMAP z",
    "UMAP + KMeans, unit rows": "UMAP unit",
    "SNF, z": "SNF z",
    "SNF, unit rows": "SNF unit",
    "NEMO (iMML), z": "NEMO z",
    "NEMO (iMML), unit rows": "NEMO unit",
    "Co-training spectral (polyview), z": "co-training z",
    "Co-training spectral (polyview), unit rows": "co-training unit",
    "WNN + Leiden (muon), z": "WNN z",
}
LARGE = ("concat-kmeans-z", "concat-kmeans-l2", "UMAP + KMeans, z", "UMAP + KMeans, unit rows")
AHEAD = 0.02  # of ACC, from which on a peer is said to win
Scores = Mapping[tuple[str, str], list[tuple[float, float, float]]]  # (data, method) -> ACC, NMI, CPU s of every seed


def scores_of(rows: Iterable[Line], /) -> Scores:
    """Return the scores of every finished cell; of a cell that was run again, the last."""
    cells = {}
    for row in rows:
        if row["kind"] == "result" and row["status"] == "ok":
            at, own = row["inputs"], row["result"]["scores"]
            key = (at["data"]["name"], at["method"]["name"], at["seed"])
            cells[key] = (own["acc"], own["nmi_arithmetic"], row["measured"]["cpu_seconds"])
    scores = defaultdict(list)
    for (data, method, _), value in sorted(cells.items()):
        scores[data, method].append(value)
    return scores


def package_table(rows: Iterable[Line], /) -> list[str]:
    """Every small data set: ACC of ours and of the peers, in the mean over the seeds; what is ahead of ours is bold."""
    scores = scores_of(rows)
    names = sorted({data for data, method in scores if method in PEERS})
    lines = [f"| data | {OURS} | {' | '.join(PEERS.values())} |", "|---|" + "--:|" * (1 + len(PEERS))]
    for data in names:
        ours = _mean(scores, data, OURS)
        assert ours is not None
        cells = [_cell(_mean(scores, data, method), ours) for method in PEERS]
        lines.append(f"| {data} | {ours:.3f} | {' | '.join(cells)} |")
    for which, title in ((0, "mean ACC"), (1, "mean NMI")):
        lines.append(_means(scores, names, which, title))
    return [*lines, "", _wins(scores, names)]


def _means(scores: Scores, names: Sequence[str], which: int, title: str) -> str:
    """Return every method's mean over the data sets that it finished; of ours on the same sets in parentheses."""
    cells = [f"{fmean(_mean(scores, data, OURS, which) or 0 for data in names):.3f}"]
    for method in PEERS:
        own = [data for data in names if (data, method) in scores]
        pair = [fmean(_mean(scores, data, one, which) or 0 for data in own) for one in (method, OURS)] if own else []
        cells.append(f"{pair[0]:.3f} ({pair[1]:.3f}; {len(own)} sets)" if own else "-")
    return f"| **{title}** (ours on the same sets) | {' | '.join(cells)} |"


def _wins(scores: Scores, names: Sequence[str]) -> str:
    """Return a sentence that names the peers ahead of ours."""
    ahead = []
    for data in names:
        ours = _mean(scores, data, OURS) or 0
        best, whose = max(((_mean(scores, data, method) or 0), short) for method, short in PEERS.items())
        if best > ours + AHEAD:
            ahead.append(f"{data} ({whose}, {best:.3f} against {ours:.3f})")
    return f"A peer, chosen with the labels, is more than {AHEAD} ahead on {len(ahead)} of {len(names)}: " + (
        ", ".join(ahead) + "." if ahead else "none."
    )


def large_table(rows: Iterable[Line], ours: Sequence[Line], /) -> list[str]:
    """Every large data set: ours as it is and with rounded input, KMeans, UMAP + KMeans; CPU seconds in parentheses."""
    scores = scores_of(rows)
    names = sorted({line["data"] for line in ours} | {data for data, _ in scores})
    lines = [
        "| data | ours, ACC | NMI | CPU s | input rounded to 3 decimals, ACC | KMeans z | KMeans unit rows "
        "| UMAP + KMeans z | UMAP + KMeans unit rows |",
        "|---|" + "--:|" * 8,
    ]
    for data in names:
        plain = [line for line in ours if line["data"] == data and line.get("decimals") is None]
        rounded = [line["acc"] for line in ours if line["data"] == data and line.get("decimals") is not None]
        cells = [
            _spread([line["acc"] for line in plain]),
            *(_of(plain, key, n) for key, n in (("nmi", 3), ("cpu_seconds", 0))),
        ]
        cells.append(_spread(rounded))
        for method in LARGE:
            value, seconds = _mean(scores, data, method), _mean(scores, data, method, 2)
            cells.append("-" if value is None else f"{value:.3f} ({seconds:.0f})")
        lines.append(f"| {data} | {' | '.join(cells)} |")
    return lines


def _mean(scores: Scores, data: str, method: str, which: int = 0) -> float | None:
    values = scores.get((data, method))
    return fmean(value[which] for value in values) if values else None


def _cell(value: float | None, ours: float) -> str:
    return "-" if value is None else f"**{value:.3f}**" if value > ours + AHEAD else f"{value:.3f}"


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.3f}" + (f" ± {stdev(values):.3f}" if len(values) > 1 else "")


def _of(lines: Sequence[Line], key: str, n_digits: int) -> str:
    return f"{fmean(line[key] for line in lines):.{n_digits}f}" if lines else "-"
