"""Tables of docs/scale.md from the journal of the benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from manyview.engine import BLOCK_ROWS
from scaling.data import WIDTHS, K
from scaling.parts import LLOYD
from scaling.process import Result

PUBLISHED_REUTERS = 420  # seconds
NEIGHBORS = 10
TWO_CORES = 2  # of the machine, for work that all threads share
TASK_SECONDS = 0.0002  # that the scheduler takes for a task, as its makers say
Records = list[Result]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of Markdown."""
    lines = [list(head), ["---"] * len(head), *map(list, rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def short(value: float) -> str:
    """Three digits, or the whole number."""
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2f}" if value < 1 else f"{value:.1f}"


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f}"


def each(values: Sequence[float]) -> str:
    """The median, and all in brackets if there are several."""
    several = f" ({', '.join(map(short, values))})" if len(values) > 1 else ""
    return short(median(values)) + several


def allowed_bytes(n_rows: int) -> float:
    """The goal for the peak above the input: N (20 K V + 8 k V) bytes + 500 MB."""
    V = len(WIDTHS)
    return n_rows * (20 * K * V + 8 * NEIGHBORS * V) + 500e6


def speed(records: Records) -> list[str]:
    """Methods by rows, the fastest first."""
    lloyd = {one["rows"]: one for one in records if one["method"] == LLOYD}

    def row(one: Result) -> list[str]:
        name = f"**{one['method']}**" if one["method"] == "SemiNTF" else one["method"]
        if not one["seconds"]:
            return [f"{one['rows']:,}", name, "stopped", *[""] * 5]
        base = lloyd[one["rows"]]
        return [
            f"{one['rows']:,}",
            name,
            each(one["seconds"]),
            short(one["work"]),
            short(median(one["seconds"]) / median(base["seconds"])),
            short(one["work"] / base["work"]),
            megabytes(one["above"]),
            f"{one['ari']:.3f}",
        ]

    ordered = sorted(records, key=lambda one: (one["rows"], median(one["seconds"] or [1e9])))
    head = ("rows", "method", "s", "processor s", "times k-means", "in processor s", "peak above input MB", "ARI")
    return table(head, map(row, ordered))


def stages(records: Records) -> list[str]:
    """Where SemiNTF spends its seconds."""
    ours = [one for one in records if one["method"] == "SemiNTF"]
    names = list(dict.fromkeys(stage for one in ours for stage in one["stages"]))
    rows = [[f"{one['rows']:,}", *(short(one["stages"].get(name, 0)) for name in names)] for one in ours]
    return table(["rows", *names], rows)


def roofline(records: Records) -> list[str]:
    """Medians of the runs, and their range."""

    def row(threads: int) -> list[str]:
        runs = [one for one in records if one["threads"] == threads]
        middle = {key: median(one[key] for one in runs) for key in runs[0]}
        ranges = {key: sorted(one[key] for one in runs) for key in ("of_copy", "of_products", "fastest")}
        return [
            str(threads),
            *(f"{middle[key] * 1e3:.1f}" for key in ("iteration", "copy", "products")),
            *(f"{middle[key]:.2f} ({values[0]:.2f} … {values[-1]:.2f})" for key, values in ranges.items()),
            f"{middle['moved'] / middle['copy'] / 1e9:.1f}",
            f"{middle['operations'] / middle['iteration'] / 1e9:.0f}",
        ]

    head = ("threads", "ms an iteration", "ms a copy", "ms in products", "of the copy", "of the products")
    return table((*head, "copy, fastest of both", "copy GB/s", "GFlop/s"), map(row, (1, 2)))


def reuters(records: Records) -> list[str]:
    """Methods on words."""
    rows = [
        [one["method"], each(one["seconds"]), short(one["work"]), megabytes(one["above"]), f"{one['ari']:.3f}"]
        for one in records
    ]
    published = ["Semi-NTF as published", str(PUBLISHED_REUTERS), "", "", ""]
    return table(("method", "s", "processor s", "peak above input MB", "ARI"), [published, *rows])


def disk(records: Records) -> list[str]:
    """Disk under its limit, and memory beside it."""

    def row(n_rows: int, engine: str, limit: str, one: Result, ari: str) -> list[str]:
        seconds, peak = f"{one['seconds']:.0f}", f"{one['peak'] / 1e9:.2f}"
        return [f"{n_rows:,}", engine, limit, seconds, peak, megabytes(one["above"]), str(one["iterations"]), ari]

    rows = []
    for one in records:
        ari = f"{one['ari_with_memory']:.4f}" if "ari_with_memory" in one else ""
        rows.append(row(one["rows"], "disk", f"{one['limit'] / 1e9:.0f}", one, ari))
        if "in_memory" in one:
            rows.append(row(one["rows"], "memory", "", one["in_memory"], ""))
    head = ("rows", "engine", "limit GB", "s", "peak of the process GB", "above its start MB")
    return table((*head, "iterations", "ARI with memory"), rows)


def dask(records: Records) -> list[str]:
    """Three workers."""
    rows = [
        [
            f"{one['rows']:,}",
            short(one["seconds"]),
            short(one["in_memory"]),
            f"{one['bytes'] / 1e3:.0f}",
            "yes" if one["same"] else "no",
            "yes" if one["same_after_kill"] else "no",
        ]
        for one in records
    ]
    head = ("rows", "s", "s in memory", "kB an iteration through client and scheduler", "same bits")
    return table((*head, "and with a worker killed by SIGKILL"), rows)


def kill(records: Records) -> list[str]:
    """One line."""
    died, equal = (sum(one[key] for one in records) for key in ("died", "equal"))
    return [f"Killed by SIGKILL after {died} random iterations and taken up again, equal to the bit {equal} times."]


def goals(by_part: dict[str, Records]) -> list[str]:
    """What was asked for, and what the records say."""
    ours = {one["rows"]: one for one in by_part["speed"] if one["method"] == "SemiNTF"}
    lloyd = {one["rows"]: one for one in by_part["speed"] if one["method"] == LLOYD}
    N, seconds = max(ours), {n: median(one["seconds"]) for n, one in ours.items()}
    times = seconds[N] / median(lloyd[N]["seconds"])
    growth, work = seconds[N] / seconds[N // 10], ours[N]["work"] / ours[N // 10]["work"]
    room = allowed_bytes(N)
    alone, both = (
        {
            key: median(one[key] for one in by_part["roofline"] if one["threads"] == t)
            for key in ("of_copy", "of_products")
        }
        for t in (1, 2)
    )
    took = {one["method"]: median(one["seconds"]) for one in by_part["reuters"] if one["seconds"]}
    rivals = {method: took["SemiNTF"] / value for method, value in took.items() if method != "SemiNTF"}
    million, most = min(by_part["disk"], key=lambda o: o["rows"]), max(by_part["disk"], key=lambda o: o["rows"])
    killed, traffic = by_part["kill"], [one["bytes"] / 1e3 for one in by_part["dask"]]
    per_rival = ", ".join(f"{share:.2f} of {method}" for method, share in rivals.items())
    rows = [
        (
            f"at most 5 times the Lloyd passes at {N:,} rows",
            times <= 5,
            f"{times:.1f} of the {lloyd[N]['passes']} passes that k-means made, "
            f"{times * lloyd[N]['passes'] / 20:.1f} of twenty",
        ),
        (f"from {N // 10:,} rows on at most 11 times", growth <= 11, f"{growth:.1f}, in processor seconds {work:.1f}"),
        (
            "peak above input at most N (20 K V + 8 k V) bytes + 500 MB",
            ours[N]["above"] <= room,
            f"{megabytes(ours[N]['above'])} of {megabytes(room)} MB",
        ),
        (
            "half the speed of memory in an iteration, two threads",
            both["of_copy"] >= 0.5,
            f"{both['of_copy']:.2f} of the copy, {both['of_products']:.2f} of BLAS on as many operations",
        ),
        (
            "the same, one thread",
            alone["of_copy"] >= 0.5,
            f"{alone['of_copy']:.2f} of the copy, {alone['of_products']:.2f} of BLAS, which itself would come to "
            f"{alone['of_copy'] / alone['of_products']:.2f} of the copy",
        ),
        ("Reuters shape faster than LMVSC, SFMC, FMCNOF", max(rivals.values()) < 1, f"time: {per_rival}"),
        (
            f"{most['rows']:,} rows from Parquet under 3 GB",
            most["peak"] <= 3e9 and million["ari_with_memory"] >= 0.99,
            f"{most['seconds']:.0f} s, peak {most['peak'] / 1e9:.2f} GB; labels of disk and memory at "
            f"{million['rows']:,} rows: ARI {million['ari_with_memory']:.4f}",
        ),
        (
            "SIGKILL at 20 random iterations",
            all(one["equal"] and one["died"] for one in killed),
            f"{sum(one['equal'] for one in killed)} of {len(killed)} equal to the bit",
        ),
        (
            "Dask, same bits, worker killed, bytes constant in N",
            all(one["same"] and one["same_after_kill"] for one in by_part["dask"]),
            f"{min(traffic):.0f} to {max(traffic):.0f} kB an iteration from "
            f"{by_part['dask'][0]['rows']:,} to {by_part['dask'][-1]['rows']:,} rows",
        ),
    ]
    return table(("goal", "reached", ""), [(goal, "yes" if reached else "no", said) for goal, reached, said in rows])


def billion(by_part: dict[str, Records]) -> list[str]:
    """What 10^9 rows need on 32 machines of 8 cores, from the constants that were measured."""
    N, machines, cores, V, L, k = 10**9, 32, 256, len(WIDTHS), 2 * (len(WIDTHS) + 1), NEIGHBORS
    ours = max((one for one in by_part["speed"] if one["method"] == "SemiNTF"), key=lambda one: one["rows"])
    over_rows = sum(ours["stages"][stage] for stage in ("geometry", "graph", "start", "labels"))
    a_row = TWO_CORES * over_rows / ours["rows"]  # core-seconds
    alone = [one for one in by_part["roofline"] if one["threads"] == 1]
    an_iteration = median(one["iteration"] for one in alone) / alone[0]["rows"]
    longest = by_part["dask"][-1]
    slower = longest["seconds"] / longest["in_memory"]
    blocks = -(-N // BLOCK_ROWS)
    size = 2 ** max(math.ceil(math.log2(blocks / (8 * cores))), 0)
    bundles = -(-blocks // size)
    tasks = 3 * bundles
    sizes = {
        "input, float32": (f"4 N ({' + '.join(map(str, WIDTHS))})", 4 * sum(WIDTHS)),
        "graph": (f"N L (6 k + 1), L = {L}, k = {k}", L * (6 * k + 1)),
        "T, S, and U in two generations": ("N (8 (3K + 1) + 12 K)", 8 * (3 * K + 1) + 12 * K),
        "results": ("N (16 K + 56)", 16 * K + 56),
    }

    def room(of_row: float) -> str:
        return f"{N * of_row / 1e9:,.0f} GB, {N * of_row / machines / 1e9:.1f} GB a machine"

    rows = [[name, formula, room(of_row)] for name, (formula, of_row) in sizes.items()]
    passes, sweep = slower * N * a_row / cores, slower * N * an_iteration / cores
    rows += [
        ["memory in all", "", room(sum(of_row for _, of_row in sizes.values()))],
        ["core-seconds a row, all passes but iterations", f"measured at {ours['rows']:,} rows", f"{a_row:.2g}"],
        ["core-seconds a row, an iteration", "measured with one thread", f"{an_iteration:.2g}"],
        ["on workers", f"measured at {longest['rows']:,} rows", f"{slower:.1f} times as long"],
        ["geometry, graph, start and labels, time", "", f"{passes / 60:.1f} minutes"],
        ["an iteration, time", "and the scheduler", f"{sweep:.2f} s + {tasks * TASK_SECONDS:.1f} s"],
        ["blocks and bundles", "at most 8 bundles a thread", f"{blocks:,} blocks in {bundles:,} bundles of {size}"],
        [
            "an iteration, network",
            f"{bundles:,} partial results of at most (3K + 1) K + K² doubles",
            f"{bundles * 8 * ((3 * K + 1) * K + K * K) / 1e6:.0f} MB, in four levels of eight",
        ],
        ["scheduler", f"{tasks:,} tasks a pass at {TASK_SECONDS * 1e3:.1f} ms", f"{tasks * TASK_SECONDS:.1f} s a pass"],
    ]
    return table((f"V = {V}, K = {K}, m = 500", "formula", "10^9 rows"), rows)


def made(by_part: dict[str, Records]) -> dict[str, list[str]]:
    """All tables by the name of their mark."""
    return {
        "goals": goals(by_part),
        "speed": speed(by_part["speed"]),
        "stages": stages(by_part["speed"]),
        "roofline": roofline(by_part["roofline"]),
        "reuters": reuters(by_part["reuters"]),
        "disk": disk(by_part["disk"]),
        "dask": dask(by_part["dask"]),
        "kill": kill(by_part["kill"]),
        "billion": billion(by_part),
    }
