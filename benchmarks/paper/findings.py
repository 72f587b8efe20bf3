"""Tables of the page about Algorithm 1, its data and its theorem, from the journals of this folder."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, median
from typing import Any

from cells import STORED, Cells, Sample
from evidence import AXES, JOINT, LAMBDAS, ORDERS, PAPER, POWERS
from record import Line, Record
from score_tables import METRICS, TITLES, published, worst

DRAWS = 3  # of the joint grid


def grid_point(line: Line) -> tuple[int, float, float]:
    """Anchors, lambda and p."""
    return line["at"]["n_anchors"], line["at"]["lam"], line["at"]["p"]


def best_line(lines: list[Line]) -> Line:
    """The line with the largest ACC, as the paper picks it."""
    return max(lines, key=lambda line: line["scores"]["acc"])


def joint_draws(record: Record, data: str, axis: str, order: str) -> list[list[Line]]:
    """The lines of every draw whose grid is complete."""
    draws = [record.select("joint", data=data, axis=axis, order=order, draw=draw) for draw in range(DRAWS)]
    return [lines for lines in draws if len(lines) == len(JOINT[data])]


def joint_best(record: Record, data: str, axis: str, order: str, score: str = "acc") -> Sample:
    """A score at the best point of the grid, draw after draw."""
    return Sample(tuple(best_line(lines)["scores"][score] for lines in joint_draws(record, data, axis, order)))


def joint_transferred(record: Record, data: str, axis: str, order: str) -> Sample:
    """ACC of the other draws at the point that is best on the first."""
    first, *others = joint_draws(record, data, axis, order)
    point = grid_point(best_line(first))
    return Sample(tuple(line["scores"]["acc"] for lines in others for line in lines if grid_point(line) == point))


def joint_table(record: Record) -> list[str]:
    """Both protocols for both axes and orders."""
    lines = [
        "| data | axis | rows | draws | best of the grid: ACC | NMI | Purity | its point (draw 0) "
        "| that point, other draws | paper's m and p, λ = 1e3 | median point |",
        "|---|---|---|--:|--:|--:|--:|---|--:|--:|--:|",
    ]
    for data in PAPER:
        for axis in AXES:
            for order in ORDERS:
                draws = joint_draws(record, data, axis, order)
                if not draws:
                    continue
                m, lam, p = grid_point(best_line(draws[0]))
                here = [line for lines in draws for line in lines]
                best = [joint_best(record, data, axis, order, score) for score in ("acc", "nmi", "purity")]
                fixed = record.sample("fixed", data=data, axis=axis, order=order)
                middle = median(line["scores"]["acc"] for line in here)
                lines.append(
                    f"| {TITLES[data]} | {axis} | {order} | {best[0].n} | {' | '.join(map(str, best))} "
                    f"| m = {m}, λ = {lam:g}, p = {p:g} | {joint_transferred(record, data, axis, order)} | {fixed} "
                    f"| {middle:.3f} |"
                )
    return lines


def classes_table(record: Record) -> list[str]:
    """Where Algorithm 1 ends that starts at the true classes, by lambda."""
    powers = range(-3, 7)
    lines = [
        "| data | axis | " + " | ".join(f"1e{power}" for power in powers) + " |",
        "|---|---|" + "--:|" * len(powers),
    ]
    for data in PAPER:
        for axis in AXES:
            found = [record.sample("classes", data=data, axis=axis, lam=10.0**power) for power in powers]
            shown = " | ".join(f"{one.mean:.3f}" if one.n else "–" for one in found)
            lines.append(f"| {TITLES[data]} | {axis} | {shown} |")
    return lines


def classes_best(record: Record, data: str) -> str:
    """Largest ACC of any fit that starts at the true classes."""
    lines = record.select("classes", data=data)
    return f"{best_line(lines)['scores']['acc']:.3f}" if lines else "–"


def reached_table(record: Record) -> list[str]:
    """The settings that come near the published numbers, and what noise and a shuffle leave."""
    lines = [
        "| data | setting | published | the file, eight ways | with noise of 1e-6 | best of all | shuffled |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for data in PAPER:
        stored = record.select("reached", data=data, order="stored")
        at = stored[0]["at"]
        ways = [line["scores"]["acc"] for line in stored if "das" in line["at"]]
        noisy = Sample(tuple(line["scores"]["acc"] for line in stored if line["at"]["draw"]))
        scale = {"z": "z-scores", "none": "no scaling"}[at["scale"]]
        lines.append(
            f"| {TITLES[data]} | samples, m = {at['n_anchors']}, p = {at['p']:g}, λ = {at['lam']:g}, {scale} "
            f"| {published()[data]['Semi-NTF']['acc'].split()[0]} | {min(ways):.3f} to {max(ways):.3f} | {noisy} "
            f"| {best_line(stored)['scores']['acc']:.3f} | {record.sample('reached', data=data, order='shuffled')} |"
        )
    return lines


def ceiling_table(record: Record) -> list[str]:
    """Ten-fold classifiers on views and on anchor graphs, beside the published clustering."""
    lines = [
        "| classifier, ten folds | " + " | ".join(f"{TITLES[d]}: {what}" for d in PAPER for what in _FEATURES) + " |",
        "|---|" + "--:|" * 6,
    ]
    for classifier in dict.fromkeys(line["at"]["classifier"] for line in record.lines["ceiling"]):
        cells = [_ceiling(record, data, classifier, m) for data in PAPER for m in _anchors(data)]
        lines.append(f"| {classifier} | {' | '.join(cells)} |")
    theirs = [f"{published()[data]['Semi-NTF'][name].split()[0]}" for data in PAPER for name in ("acc", "nmi")]
    lines.append(f"| *published clustering* | *{theirs[0]} / {theirs[1]}* | | | *{theirs[2]} / {theirs[3]}* | | |")
    return lines


_FEATURES = ("views", "graphs, paper's m", "graphs, m = 100")


def _anchors(data: str) -> tuple[int | None, int, int]:
    return None, PAPER[data]["n_anchors"], 100


def _ceiling(record: Record, data: str, classifier: str, n_anchors: int | None) -> str:
    found = record.select("ceiling", data=data, classifier=classifier, n_anchors=n_anchors)
    return f"{found[0]['scores']['acc']:.3f} / {found[0]['scores']['nmi']:.3f}" if found else "–"


def ceiling_best(record: Record, data: str, features: str, score: str) -> str:
    """Best score of any classifier on views or graphs."""
    return f"{max(line['scores'][score] for line in record.select('ceiling', data=data, features=features)):.3f}"


def theorem_table(record: Record) -> list[str]:
    """The quantity that Theorem 2 takes to vanish, and the step of Y1, at some iterations."""
    marks = (20, 40, 60, 80)
    lines = [
        "| data | axis | "
        + " | ".join(f"max(μ, ρ) max \\|ΔH\\|, k = {k}" for k in marks)
        + " | change of Y1, k = 20 | k = 80 |",
        "|---|---|" + "--:|" * (len(marks) + 2),
    ]
    for line in record.lines["theorem"]:
        assumed, step = assumption(line), [m * r for m, r in zip(line["mu"], line["HQ"], strict=True)]
        shown = [*(assumed[k - 1] for k in marks), step[19], step[79]]
        at = line["at"]
        lines.append(f"| {TITLES[at['data']]} | {at['axis']} | {' | '.join(f'{x:.0e}' for x in shown)} |")
    return lines


def assumption(line: Line) -> list[float]:
    """max(mu_k, rho_k) times the largest entry of H_(k+1) - H_k, k = 1, 2, …; mu and rho are equal in Algorithm 1."""
    return [mu * moved for mu, moved in zip(line["mu"][:-1], line["moved"][1:], strict=True)]


def residual_at(record: Record, iteration: int) -> str:
    """Range over the fits of the larger residual at an iteration, relative to the largest entry of H."""
    shares = [
        max(line["HQ"][iteration - 1], line["QJ"][iteration - 1]) / line["largest"][iteration - 1]
        for line in record.lines["theorem"]
    ]
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %"


def sensitivity(record: Record, data: str, axis: str, varied: str) -> str:
    """Mean range of ACC over `varied` at a fixed value of the other of lambda and p; rows as stored."""
    other = {"lam": "p", "p": "lam"}[varied]
    values: dict[float, list[float]] = {}
    for line in grid_lines(record, data, axis):
        values.setdefault(line["at"][other], []).append(line["scores"]["acc"])
    return f"{fmean(max(of) - min(of) for of in values.values()):.2f}"


def grid_lines(record: Record, data: str, axis: str) -> list[Line]:
    """The lambda x p grid of the paper, at its number of anchors, rows as stored."""
    lines = record.select(record.sweeps, data=data, axis=axis, order="stored", n_anchors=PAPER[data]["n_anchors"])
    return [line for line in lines if line["at"]["lam"] in LAMBDAS and line["at"]["p"] in POWERS]


def swept(record: Record, data: str, axis: str, order: str, varied: str) -> dict[float, Line]:
    """The fits along one parameter, the others as the preset has them."""
    others = {name: value for name, value in PAPER[data].items() if name != varied}
    return {
        line["at"][varied]: line for line in record.select(record.sweeps, data=data, axis=axis, order=order, **others)
    }


def swept_best(record: Record, data: str, axis: str, order: str, varied: str) -> str:
    """Where the best point of a sweep is, and the range of ACC."""
    found = {value: line["scores"]["acc"] for value, line in swept(record, data, axis, order, varied).items()}
    best = max(found, key=found.__getitem__)
    return f"best at {best:g} ({min(found.values()):.3f} to {found[best]:.3f})"


def gaps_table(record: Record, cells: Cells) -> list[str]:
    """The nearest settings of the baselines to their published rows."""
    lines = [
        "| data | method | settings tried | published ACC | ours, default | best ACC of the grid | nearest setting "
        "| its ACC | largest of 7 differences: default | nearest |",
        "|---|---|--:|--:|--:|--:|---|--:|--:|--:|",
    ]
    for data in PAPER:
        for method in ("MVGL", "LMVSC", "SFMC", "FMCNOF"):
            tried = _by_setting(record.select("gaps", data=data, method=method))
            if not tried:
                continue
            known = {name: float(published()[data][method][name].split()[0]) for name in METRICS}
            nearest = min(tried, key=lambda of: distance(tried[of], known))
            best = max(scores["acc"] for scores in tried.values())
            lines.append(
                f"| {TITLES[data]} | {method} | {len(tried)} | {known['acc']:.3f} "
                f"| {cells.values(data, method, STORED, 'acc')} | {best:.3f} | {nearest} | {tried[nearest]['acc']:.3f} "
                f"| {worst(cells, data, method)} | {distance(tried[nearest], known):.3f} |"
            )
    return lines


def distance(scores: dict[str, float], known: dict[str, float]) -> float:
    """Largest of the seven differences."""
    return max(abs(scores[name] - known[name]) for name in METRICS)


def _by_setting(lines: list[Line]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[dict[str, float]]] = {}
    for line in lines:
        left = {n: v for n, v in line["at"].items() if n not in ("data", "method", "random_state")}
        groups.setdefault(", ".join(f"{name} = {value}" for name, value in left.items()), []).append(line["scores"])
    return {of: {name: fmean(one[name] for one in scores) for name in METRICS} for of, scores in groups.items()}


def growth(record: Record, axis: str) -> str:
    """Exponent of the processor seconds in the number of rows, between the fewest and the most."""
    seconds = {line["at"]["rows"]: line["cpu_seconds"] for line in record.select("cost", data="made", axis=axis)}
    if len(seconds) < 2:
        return "–"
    few, many = min(seconds), max(seconds)
    return f"{math.log(seconds[many] / seconds[few]) / math.log(many / few):.2f}"


Mark = Callable[..., str]


def marks(record: Record, cells: Cells) -> dict[str, Mark]:
    """What the page may ask for, by name; arguments are texts."""

    def sample(journal: str, data: str, axis: str, order: str, score: str = "acc") -> Any:
        return record.sample(journal, score, data=data, axis=axis, order=order)

    return {
        "joint": lambda: "\n".join(joint_table(record)),
        "joint best": lambda data, axis, order: str(joint_best(record, data, axis, order)),
        "from classes": lambda: "\n".join(classes_table(record)),
        "from classes best": lambda data: classes_best(record, data),
        "reached": lambda: "\n".join(reached_table(record)),
        "ceiling": lambda: "\n".join(ceiling_table(record)),
        "ceiling best": lambda data, features, score: ceiling_best(record, data, features, score),
        "theorem": lambda: "\n".join(theorem_table(record)),
        "residual": lambda iteration: residual_at(record, int(iteration)),
        "sensitivity": lambda data, axis, varied: sensitivity(record, data, axis, varied),
        "swept": lambda data, axis, order, varied: swept_best(record, data, axis, order, varied),
        "gaps": lambda: "\n".join(gaps_table(record, cells)),
        "growth": lambda axis: growth(record, axis),
        "fixed": lambda *where: str(sample("fixed", *where)),
        "commit": record.commit,
        "sweeps commit": lambda: record.commit(record.sweeps),
    }
