"""Columns of a frame as numbers: categories one-hot, booleans as 0 and 1, an error for what is neither.

A category that the fit did not see gets zeros in all columns of its feature; a missing one gets NaN in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manyview.kernels.arrays import FloatArray
from manyview.views.frames import Column, Frame, codes_of

Categories = list[list[Any] | None] | None  # of every column; None: a number; None alone: all are numbers
ID_NAMES = (
    *("id", "ids", "index", "key", "row", "rownumber", "rowid", "unnamed0", "level0", "uuid", "guid"),
    *("sample", "samples", "sampleid", "samplename", "subject", "subjectid", "participant", "participantid"),
    *("pid", "mrn", "eid", "patient", "patientid", "case", "caseid", "cell", "cellid", "barcode", "barcodes"),
)


class Encoded(NamedTuple):
    """A frame as numbers, and what it takes to encode other rows alike."""

    table: FloatArray
    columns: list[str]
    categories: Categories
    notes: list[str]


def encode(
    frame: Frame, name: str, labels: Sequence[str], /, *, known: Categories = None, fitted: bool = False
) -> Encoded:
    """Turn the columns into numbers; ``fitted`` encodes them with the ``known`` categories of the fit."""
    matrix = frame.matrix()
    if matrix is not None and known is None:
        return Encoded(matrix, list(labels), None, [])
    parts: list[FloatArray] = []
    columns: list[str] = []
    notes: list[str] = []
    categories: list[list[Any] | None] = []
    booleans: list[str] = []
    single = True
    for j, label in enumerate(labels):
        column = frame.column(j)
        expected = known[j] if known is not None else None
        if expected is not None or (column.kind == "category" and not fitted):
            expected, table = one_hot(column, expected)
            parts.append(table)
            columns += [f"{label}={category}" for category in expected]
            if not fitted:
                notes.append(f"View {name!r}: the categories of column {label!r} became {len(expected)} columns.")
        else:
            if column.kind not in ("number", "boolean"):
                raise _no_feature(column, name, label)
            parts.append(column.values[:, None])
            columns.append(label)
            single &= column.single or column.kind == "boolean"
            booleans += [label] if column.kind == "boolean" else []
        categories.append(expected)
    if booleans and not fitted:
        notes.append(f"View {name!r}: the truth values of {_some(booleans)} became 0 and 1.")
    dtype = np.float32 if single and any(c is None for c in categories) and len(booleans) < len(labels) else np.float64
    table = np.hstack(parts).astype(dtype, copy=False)
    return Encoded(table, columns, categories if any(c is not None for c in categories) else None, notes)


def one_hot(column: Column, known: list[Any] | None, /) -> tuple[list[Any], FloatArray]:
    """Encode categories as columns of 0 and 1 (n, n_categories); without known categories, those that occur."""
    codes = np.asarray(column.values)
    if known is None:
        assert column.categories is not None
        known = [column.categories[code] for code in np.unique(codes[codes >= 0])]
    if column.categories is not None:  # to the places among the known ones
        places = np.append(codes_of(column.categories, known), -1)
        codes = places[codes]
    else:
        codes = codes_of(codes.tolist(), known)
    table = (codes[:, None] == np.arange(len(known))).astype(np.float64)
    table[codes < 0] = np.nan
    return known, table


def require_no_ids(frame: Frame, name: str, labels: Sequence[str], /) -> None:
    """Raise an error for a column that looks like ids by its name and its values, which differ in all rows."""
    for j, label in enumerate(labels):
        if looks_like_ids(label) and _all_differ(frame.column(j).values):
            raise ValueError(
                f"View {name!r}: column {label!r} looks like ids, which are no features: "
                f"Views.from_tables(X, id_column={label!r}) matches rows by it. If it is a feature, rename it; if it "
                "is neither, drop it."
            )


def looks_like_ids(label: str, /) -> bool:
    """Return whether a column has a usual name of ids."""
    return re.sub(r"[^a-z0-9]", "", label.lower()) in ID_NAMES


def _all_differ(values: NDArray[Any]) -> bool:
    """Return whether values are several whole numbers or objects, all of them different."""
    if values.dtype.kind == "f" and not np.array_equal(values, np.round(values)):
        return False
    listed = values.tolist()
    try:
        return 1 < len(listed) == len(set(listed))
    except TypeError:  # lists in the cells
        return False


def _no_feature(column: Column, name: str, label: str) -> ValueError:
    remedy = {
        "text": "drop it, make it categorical (astype('category')), count its words (PerView), or, if it holds ids, "
        "name it as id_column",
        "dates or times": "turn it into numbers, such as days since a date, or drop it",
        "complex numbers": "give its real and imaginary parts as two columns",
        "category": "in the fit it held numbers; give it as numbers again",
    }.get(column.kind, "turn it into numbers or drop it")
    holds = "categories" if column.kind == "category" else column.kind
    return ValueError(f"View {name!r}: column {label!r} holds {holds}, not numbers: {remedy}.")


def _some(labels: Sequence[str]) -> str:
    columns = "column" if len(labels) == 1 else f"{len(labels)} columns,"
    return f"{columns} {', '.join(map(repr, labels[:3]))}" + (", …" if len(labels) > 3 else "")
