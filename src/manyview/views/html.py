"""What notebooks show of views."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manyview.views.container import Views

MAX_NOTES = 10


def views_as_html(views: Views, /) -> str:
    """A small table: a row per view with its width, its kind and how many samples it describes."""
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{width:,}</td><td>{escape(_kind(table))}</td>"
        f"<td>{views.n_samples if present is None else int(present.sum()):,}</td></tr>"
        for name, width, table, present in zip(views.names, views.widths, views.tables, views.present, strict=True)
    )
    ids = "without ids" if views.ids is None else "with ids"
    notes = "".join(f"<li>{escape(note)}</li>" for note in views.notes[:MAX_NOTES])
    more = f"<li>… and {len(views.notes) - MAX_NOTES} more</li>" if len(views.notes) > MAX_NOTES else ""
    return (
        f"<div><p>Views: {views.n_samples:,} samples {ids}</p><table><thead><tr><th>view</th><th>columns</th>"
        f"<th>table</th><th>samples</th></tr></thead><tbody>{rows}</tbody></table>"
        + (f"<ul>{notes}{more}</ul>" if notes else "")
        + "</div>"
    )


def _kind(table: object) -> str:
    kind = type(table).__name__
    dtype = getattr(table, "dtype", None)
    return kind if dtype is None else f"{kind}, {dtype}"
