"""The short form of a report that a notebook shows for a fitted model: no script, no style beyond attributes."""

from __future__ import annotations

from html import escape
from typing import Any

from manyview.report.palette import cluster_colors
from manyview.report.summary.inputs import gather
from manyview.report.summary.shown import Shown
from manyview.report.summary.views import view_rows

CELL = "padding:2px 12px 2px 0;text-align:left;font-variant-numeric:tabular-nums"


def compact_html(model: Any, /) -> str:
    """Return a few lines of HTML about a fitted model, for ``_repr_html_``.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of this package.

    Returns
    -------
    str
        HTML without script; names are escaped.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.report import compact_html
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> html = compact_html(AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views))
    >>> "3 clusters in 90 samples" in html
    True
    """
    inputs = gather(model, None, name="", y_true=None, metadata=None, ids=None, images=None, seconds=None)
    K = len(inputs.clusters)
    stability = getattr(model, "cluster_stability_", None)
    rows = []
    for k, (label, color) in enumerate(zip(inputs.clusters.tolist(), cluster_colors(K), strict=True)):
        if k == 12:
            rows.append([f"and {K - k} more"])
            break
        confidence = "" if inputs.confidence is None else f"{inputs.confidence[inputs.codes == k].mean():.2f}"
        dot = f'<span style="color:{color}">●</span> {label}'
        rows.append([dot, f"{inputs.sizes[k]:,}", "" if stability is None else f"{stability[label]:.2f}", confidence])
    clusters = _table(["cluster", "samples", "stability", "mean confidence"], rows)
    views = _table(
        ["view", "columns", "weight"],
        [
            [
                escape(view["name"]) + (" (left out)" if view["left_out"] else ""),
                f"{view['width']:,}",
                "" if view["weight"] is None else f"{view['weight']:.0%}",
            ]
            for view in view_rows(inputs, Shown(inputs.clusters[:0], None))
        ],
    )
    headline = f"{K} {'cluster' if K == 1 else 'clusters'} in {inputs.n_samples:,} samples"
    return (
        '<div style="font-family:system-ui,sans-serif">'
        f"<p><strong>{headline}</strong> · {escape(type(model).__name__)}</p>"
        f'<div style="display:flex;flex-wrap:wrap;gap:8px 48px;align-items:flex-start">{clusters}{views}</div></div>'
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table of cells that are HTML already, without the columns that no row fills."""
    filled = [j for j in range(len(head)) if any(len(row) > j and row[j] for row in rows)]
    lines = ["".join(f'<th style="{CELL}">{head[j]}</th>' for j in filled)]
    lines += ["".join(f'<td style="{CELL}">{row[j]}</td>' for j in filled if j < len(row)) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
