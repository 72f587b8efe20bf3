"""A summary of a clustering as tables on the terminal."""

from __future__ import annotations

from manyview.cli.screen import table
from manyview.report import SCORE_NAMES, Summary


def show(summary: Summary, /) -> None:
    """Print clusters, views and results; what needs known classes only where they are."""
    _clusters(summary)
    table(
        "Views",
        ("view", "columns", "weight", "agreement"),
        [
            (view["name"], str(view["width"]), _number(view["weight"]), _number(view["agreement"]))
            for view in summary["views"]
        ],
    )
    _result(summary)


def _clusters(summary: Summary) -> None:
    columns, rows = ["cluster", "rows", "mean confidence"], []
    if summary["scores"] is not None:
        columns += ["main class", "its share"]
    for cluster in summary["clusters"]:
        row = [str(cluster["label"]), str(cluster["size"]), _number(cluster["confidence"])]
        if cluster["main_share"] is not None:
            row += [str(cluster["main_class"]), f"{cluster['main_share']:.1%}"]
        rows.append(row)
    table("Clusters", columns, rows)


def _result(summary: Summary) -> None:
    rows = [(SCORE_NAMES[key], f"{value:.4f}") for key, value in (summary["scores"] or {}).items()]
    convergence, seconds = summary["convergence"], summary["run"]["seconds"]
    if convergence is not None:
        end = {True: " (converged)", False: " (not converged)", None: ""}[convergence["converged"]]
        rows.append(("iterations", f"{convergence['n_iter']}{end}"))
    if seconds is not None:
        rows.append(("seconds", f"{seconds:.2f}"))
    table("Result", ("", "value"), rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
