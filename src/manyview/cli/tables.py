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
            (view["name"], str(view["width"]), f"{view['weight']:.3f}", f"{view['agreement']:.3f}")
            for view in summary["views"]
        ],
    )
    _result(summary)


def _clusters(summary: Summary) -> None:
    columns, rows = ["cluster", "rows", "mean confidence"], []
    if summary["scores"] is not None:
        columns += ["main class", "its share"]
    for cluster in summary["clusters"]:
        row = [str(cluster["label"]), str(cluster["size"]), f"{cluster['confidence']:.3f}"]
        if cluster["main_share"] is not None:
            row += [str(cluster["main_class"]), f"{cluster['main_share']:.1%}"]
        rows.append(row)
    table("Clusters", columns, rows)


def _result(summary: Summary) -> None:
    convergence = summary["convergence"]
    end = "converged" if convergence["converged"] else "not converged"
    rows = [(SCORE_NAMES[key], f"{value:.4f}") for key, value in (summary["scores"] or {}).items()]
    rows.append(("iterations", f"{convergence['n_iter']} ({end})"))
    if summary["seconds"] is not None:
        rows.append(("seconds", f"{summary['seconds']:.2f}"))
    table("Result", ("", "value"), rows)
