"""Seconds and memory over rows, and what goes through a scheduler, from the journal of the benchmark."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from scaling.parts import LLOYD
from scaling.process import Result
from scaling.tables import allowed_bytes, ours_in

OTHERS = (LLOYD, "MiniBatchKMeans", "FMCNOF", "LMVSC", "SFMC", "SpectralClustering")
Records = dict[str, list[Result]]


def draw(by_part: Records, file: Path) -> None:
    """Three panels in one PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4), layout="constrained")
    seconds, memory, traffic = figure.subplots(1, 3)
    ours = ours_in(by_part["speed"])
    for method in (ours, *OTHERS):
        found = [one for one in by_part["speed"] if one["method"] == method and one["seconds"]]
        strong = {"linewidth": 2.5, "color": "black", "zorder": 3} if method == ours else {"linewidth": 1}
        rows = [one["rows"] for one in found]
        seconds.plot(rows, [median(one["seconds"]) for one in found], "o-", markersize=4, label=method, **strong)
        memory.plot(rows, [one["above"] / 1e6 for one in found], "o-", markersize=4, **strong)
    on_disk = by_part["disk"]
    rows = [one["rows"] for one in on_disk]
    dashed: dict[str, Any] = {"linewidth": 2.5, "color": "black", "linestyle": "--", "marker": "s", "markersize": 5}
    seconds.plot(rows, [one["seconds"] for one in on_disk], label=f"{ours} from disk", **dashed)
    memory.plot(rows, [one["above"] / 1e6 for one in on_disk], **dashed)
    limits = [int(10 ** (4 + step / 10)) for step in range(31)]  # no straight line in these axes
    memory.plot(limits, [allowed_bytes(n) / 1e6 for n in limits], color="gray", linestyle=":", label="goal in memory")
    traffic.plot(
        [one["rows"] for one in by_part["dask"]], [one["bytes"] / 1e3 for one in by_part["dask"]], "o-", color="black"
    )
    for axes, title, label in (
        (seconds, "Time of a fit", "s"),
        (memory, "Peak of memory above the input", "MB"),
        (traffic, "Through client and scheduler an iteration", "kB"),
    ):
        axes.set(xscale="log", xlabel="rows", ylabel=label)
        axes.set_title(title, fontsize=11)
        axes.grid(visible=True, which="major", alpha=0.3)
    seconds.set_yscale("log")
    memory.set_yscale("log")
    traffic.set(xscale="linear", ylim=(0, 1.3 * max(one["bytes"] / 1e3 for one in by_part["dask"])))
    seconds.legend(fontsize=8)
    memory.legend(fontsize=8)
    figure.savefig(file, dpi=110)
