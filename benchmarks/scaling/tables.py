"""Tables of docs/scale.md from the journal of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from scaling.data import WIDTHS, K
from scaling.parts import BEFORE, LLOYD, OURS
from scaling.process import Result

PUBLISHED_REUTERS = 420  # seconds
NEIGHBORS = 10
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


def ours_in(records: Records) -> str:
    """Return the name that our default has in records of one run."""
    return OURS if any(one["method"] == OURS for one in records) else BEFORE


def speed(records: Records) -> list[str]:
    """Methods by rows, the fastest first."""
    lloyd = {one["rows"]: one for one in records if one["method"] == LLOYD}

    def row(one: Result) -> list[str]:
        name = f"**{one['method']}**" if one["method"] == ours_in(records) else one["method"]
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
    """Where the default spends its seconds."""
    ours = [one for one in records if one["method"] == ours_in(records)]
    names = list(dict.fromkeys(stage for one in ours for stage in one["stages"]))
    rows = [[f"{one['rows']:,}", *(short(one["stages"].get(name, 0)) for name in names)] for one in ours]
    return table(["rows", *names], rows)


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
        return [f"{n_rows:,}", engine, limit, seconds, peak, megabytes(one["above"]), ari]

    rows = []
    for one in records:
        ari = f"{one['ari_with_memory']:.4f}" if "ari_with_memory" in one else ""
        rows.append(row(one["rows"], "disk", f"{one['limit'] / 1e9:.0f}", one, ari))
        if "in_memory" in one:
            rows.append(row(one["rows"], "memory", "", one["in_memory"], ""))
    head = ("rows", "engine", "limit GB", "s", "peak of the process GB", "above its start MB")
    return table((*head, "ARI with memory"), rows)


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
    name = ours_in(by_part["speed"])
    ours = {one["rows"]: one for one in by_part["speed"] if one["method"] == name}
    lloyd = {one["rows"]: one for one in by_part["speed"] if one["method"] == LLOYD}
    N, seconds = max(ours), {n: median(one["seconds"]) for n, one in ours.items()}
    times = seconds[N] / median(lloyd[N]["seconds"])
    growth, work = seconds[N] / seconds[N // 10], ours[N]["work"] / ours[N // 10]["work"]
    room = allowed_bytes(N)
    took = {one["method"]: median(one["seconds"]) for one in by_part["reuters"] if one["seconds"]}
    name = ours_in(by_part["reuters"])
    rivals = {method: took[name] / value for method, value in took.items() if method != name}
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


def made(by_part: dict[str, Records]) -> dict[str, list[str]]:
    """All tables by the name of their mark."""
    return {
        "goals": goals(by_part),
        "speed": speed(by_part["speed"]),
        "stages": stages(by_part["speed"]),
        "reuters": reuters(by_part["reuters"]),
        "disk": disk(by_part["disk"]),
        "dask": dask(by_part["dask"]),
        "kill": kill(by_part["kill"]),
    }
