"""Results per sample in the form in which the views came: with their ids, as pandas, polars, Arrow, or plain arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyview.engine.optional import optional

KINDS = (None, "pandas", "polars", "pyarrow")


def as_given(
    values: Any,
    ids: NDArray[Any] | None,
    kind: str | None,
    /,
    *,
    name: str = "cluster",
    columns: Sequence[str] | None = None,
    id_name: str = "id",
) -> Any:
    """Return values per sample as a frame of the library that the views came in.

    Parameters
    ----------
    values : array of shape (n_samples,) or (n_samples, n_columns)
    ids : array of shape (n_samples,) or None
        Ids of the samples, ``Views.ids``.
    kind : None, "pandas", "polars" or "pyarrow"
        Library of the frames, ``Views.library``; None gives the array back.
    name : str
        Name of a single column.
    columns : sequence of str, optional
        Names of several columns; ``name`` and a number by default.
    id_name : str
        Column of the ids where the library has no index.

    Returns
    -------
    array, Series or DataFrame, Table
        pandas: a Series or DataFrame with the ids as its index. polars: a Series, or a DataFrame whose first column
        holds the ids. pyarrow: a Table whose first column holds the ids.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.views.output import as_given
    >>> as_given(np.array([0, 1]), np.array(["p1", "p2"]), "pandas").to_dict()
    {'p1': 0, 'p2': 1}
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: use None, 'pandas', 'polars' or 'pyarrow'.")
    if kind is None:
        return values
    values = np.asarray(values)
    if columns is None:
        columns = [name] if values.ndim == 1 else [f"{name} {j}" for j in range(values.shape[1])]
    if kind == "pandas":
        pandas = optional("pandas", extra="all", use="A result with ids")
        index = None if ids is None else pandas.Index(ids.tolist() if ids.dtype == object else ids)
        if values.ndim == 1:
            return pandas.Series(values, index=index, name=name)
        return pandas.DataFrame(values, index=index, columns=list(columns))
    library = optional(kind, extra="all", use="A result with ids")
    parts = [values] if values.ndim == 1 else list(values.T)
    table = {} if ids is None else {id_name: _writable(ids.tolist())}
    table |= dict(zip(_writable(columns), parts, strict=True))
    if kind == "pyarrow":
        return library.table(table)
    if ids is None and values.ndim == 1:
        return library.Series(name, values)
    return library.DataFrame(table)


def frame_of_columns(columns: Mapping[str, Any], ids: NDArray[Any] | None, kind: str, /, *, id_name: str = "id") -> Any:
    """Build a frame from columns of any types, with ids as the index (pandas) or the first column.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.views.output import frame_of_columns
    >>> frame_of_columns({"cluster": np.array([0, 1])}, np.array(["a", "b"]), "polars").columns
    ['id', 'cluster']
    """
    library = optional(kind, extra="all", use="A table of results")
    if kind == "pandas":
        return library.DataFrame(
            dict(columns), index=None if ids is None else library.Index(ids.tolist() if ids.dtype == object else ids)
        )
    table = {} if ids is None else {id_name: _writable(ids.tolist())}
    table |= dict(zip(_writable(columns), columns.values(), strict=True))
    return library.table(table) if kind == "pyarrow" else library.DataFrame(table)


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], /) -> str:
    """Return a table for a notebook; every cell is escaped, and the first of a row is its heading.

    Examples
    --------
    >>> from manyview.views.output import html_table
    >>> html_table(["view"], [["<rna>"]])
    "<table><thead><tr><th>view</th></tr></thead><tbody><tr><th scope='row'>&lt;rna&gt;</th></tr></tbody></table>"
    """
    columns = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = ""
    for first, *cells in rows:
        others = "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        body += f"<tr><th scope='row'>{escape(str(first))}</th>{others}</tr>"
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"


def _writable(values: Iterable[Any]) -> list[Any]:
    """Replace lone surrogates in texts, which Arrow and polars do not take."""
    return [value.encode(errors="replace").decode() if isinstance(value, str) else value for value in values]
