"""Which variables of a file are the views, which the labels, and which way the views lie.

Layouts met in this field:  one cell array (1 x V or V x 1) named X, fea, data ...;  matrices X1, X2, ... or view_0,
view_1, ...;  labels named Y, y, gt, truelabel ...;  views N x d or d x N;  views as (row, column, value) triples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from manyview.io.data import LabelArray, MultiViewData, ViewMatrix, gather
from manyview.io.files import LABEL_NAMES
from manyview.io.matrices import check_labels, check_matrix, finish_view, from_triples, is_triples
from manyview.io.naming import is_naming, with_names
from manyview.io.values import Cell, RawSparse, Value, Variables, describe

VIEW_NAMES = ("x", "view", "views", "fea", "feat", "feature", "features", "data", "v", "xs")

NamedValues = dict[str, Value]


def assemble(variables: Variables, /, *, source: str, name: str, widths: Sequence[int] | None = None) -> MultiViewData:
    """Make a data set of a file's variables, or raise a ValueError that says what was found in `source`."""
    found = dict(variables)
    if len(found) < len(variables):
        raise ValueError(f"{source}: a variable name occurs twice among {[name for name, _ in variables]}")
    labels = find_labels(found, source)
    values = find_views(found, source, n_samples=None if labels is None else len(labels))
    if widths is not None and len(widths) != len(values):
        raise ValueError(f"{source}: widths names {len(widths)} views, the file has {len(values)}")
    matrices = {key: check_matrix(value, f"{source}: {key}") for key, value in values.items()}
    lying = orient(matrices, source, n_samples=None if labels is None else len(labels), widths=widths)
    views = {key: finish_view(matrix, f"{source}: {key}") for key, matrix in lying.items()}
    for width, (key, view) in zip(widths or (), views.items(), strict=False):
        if view.shape[1] != width:
            raise ValueError(f"{source}: {key} has {view.shape[1]} columns where widths says {width}")
    return with_names(gather(views, labels, name, source), found, source)


def find_labels(found: NamedValues, source: str, /) -> LabelArray | None:
    """Find the labels under one of their usual names; two lists of labels must agree."""
    checked: dict[str, LabelArray] = {}
    refused: list[ValueError] = []
    for key, value in found.items():
        if key.lower() in LABEL_NAMES:
            try:
                checked[key] = check_labels(value, f"{source}: {key}")
            except ValueError as error:
                refused.append(error)
    if not checked and refused:  # an indicator matrix beside a list of labels is no harm
        raise refused[0]
    if not checked:
        return None
    first, *others = checked
    for other in others:
        if not np.array_equal(checked[first], checked[other]):
            raise ValueError(f"{source}: {first} and {other} both look like labels and differ; keep one of them")
    return checked[first]


def find_views(found: NamedValues, source: str, /, *, n_samples: int | None) -> NamedValues:
    """Find the values that are views, by name, in their order."""
    rest = {key: value for key, value in found.items() if key.lower() not in LABEL_NAMES and not is_naming(key)}
    cells = {key: value for key, value in rest.items() if isinstance(value, Cell)}
    known = {key: value for key, value in rest.items() if key.lower() in VIEW_NAMES}
    chosen = {key: value for key, value in cells.items() if key in known} or cells
    if len(chosen) == 1:
        return _cell_items(*chosen.popitem(), source)
    if not chosen:
        numbered = _numbered(rest, source, n_samples=n_samples)
        if numbered:
            return numbered
        if len(known) == 1:  # one matrix: a single view
            return known
    listing = ", ".join(f"{key} ({describe(value)})" for key, value in found.items()) or "nothing"
    raise ValueError(
        f"{source}: cannot tell which variables are the views; found {listing}. Expected one cell array X, or matrices "
        "X1, X2, ..., and labels Y"
    )


def _cell_items(key: str, cell: Cell, source: str) -> NamedValues:
    if len(cell.items) == 0 or len(cell.items) != max(cell.shape):
        raise ValueError(f"{source}: {key} is a {describe(cell)}; views must stand in a single row or column")
    return {f"view_{v}": _unwrap(item) for v, item in enumerate(cell.items)}


def _unwrap(value: Value) -> Value:
    """Return the content of a cell within a cell of one place."""
    while isinstance(value, Cell) and len(value.items) == 1:
        value = value.items[0]
    return value


def _numbered(rest: NamedValues, source: str, *, n_samples: int | None) -> NamedValues:
    """Find X1, X2, ... or view_0, view_1, ...: one stem, numbers without a gap, nothing else that could be a view."""
    stems: dict[str, dict[int, str]] = {}
    for key in rest:
        if match := re.fullmatch(r"(.*?)_?(\d{1,4})", key):
            members = stems.setdefault(match[1].lower(), {})
            if int(match[2]) in members:
                raise ValueError(f"{source}: {members[int(match[2])]} and {key} claim the same place")
            members[int(match[2])] = key
    usual = [stem for stem in stems if stem in VIEW_NAMES] or [stem for stem in stems if len(stems[stem]) > 1]
    if len(usual) != 1:
        return {}
    members = stems[usual[0]]
    numbers = sorted(members)
    if numbers[0] > 1 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise ValueError(f"{source}: views are numbered {numbers}; some are missing")
    for key, value in rest.items():
        if key not in members.values() and _could_be_data(value, n_samples):
            raise ValueError(
                f"{source}: besides {list(members.values())} there is {key} ({describe(value)}), unexplained"
            )
    return {members[number]: rest[members[number]] for number in numbers}


def _could_be_data(value: Value, n_samples: int | None) -> bool:
    """Return whether an unused value is more than a scalar, a text, or one number per sample."""
    if isinstance(value, RawSparse):
        return True
    return isinstance(value, np.ndarray) and value.dtype.kind != "U" and value.size not in (0, 1, n_samples)


def orient(
    matrices: dict[str, ViewMatrix], source: str, /, *, n_samples: int | None, widths: Sequence[int] | None = None
) -> dict[str, ViewMatrix]:
    """Turn all views so that samples are rows. The labels' length decides; a square view stays.

    Without labels the views must agree among themselves: on their rows, as lists of triples, or on their columns.
    """
    shapes = {key: tuple(matrix.shape) for key, matrix in matrices.items()}
    if n_samples is None:
        if len({rows for rows, _ in shapes.values()}) == 1:
            return matrices
        if all(is_triples(matrix) for matrix in matrices.values()):
            n_samples = _samples_in_triples(list(matrices.values()), source)
        elif len({columns for _, columns in shapes.values()}) == 1:
            return {key: matrix.T for key, matrix in matrices.items()}
        else:
            raise ValueError(f"{source}: the views have shapes {shapes}: neither rows nor columns agree, and no labels")
    given = widths if widths is not None else [None] * len(matrices)
    return {
        key: _lay(matrix, f"{source}: {key}", n_samples, width)
        for (key, matrix), width in zip(matrices.items(), given, strict=True)
    }


def _samples_in_triples(lists: list[ViewMatrix], source: str) -> int:
    last_row, n_lines = max(float(triples[:, 0].max()) for triples in lists), sum(map(len, lists))
    if last_row > n_lines:
        raise ValueError(f"{source}: {n_lines} triples have {last_row:.0f} as their largest row; that looks damaged")
    return int(last_row)


def _lay(matrix: ViewMatrix, where: str, n_samples: int, width: int | None) -> ViewMatrix:
    if matrix.shape[0] == n_samples:
        return matrix
    if matrix.shape[1] == n_samples:
        return matrix.T
    if is_triples(matrix):
        return from_triples(matrix, where, n_samples=n_samples, width=width)
    raise ValueError(
        f"{where} has shape {tuple(matrix.shape)} where there are {n_samples} labels; neither side fits, and it is not "
        "a list of (row, column, value) triples"
    )
