"""What a summary starts from: the fitted model, and everything about its samples, checked and in the model's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from manyview.views import Views, check_views

BLOCK_ROWS = 16_384


@dataclass(frozen=True)
class Inputs:
    """A fitted model with its samples."""

    model: Any
    views: Views | None
    name: str
    ids: NDArray[Any] | None  # None: samples are called by their row number
    metadata: dict[str, NDArray[Any]]
    y_true: NDArray[Any] | None
    images: NDArray[Any] | None
    seconds: float | None

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """Cluster of every sample; of one that is labeled an outlier the nearest."""
        labels = np.asarray(self.model.labels_)
        if not hasattr(self.model, "membership_"):
            return labels
        return np.where(labels < 0, np.asarray(self.model.membership_).argmax(axis=1), labels)

    @property
    def n_samples(self) -> int:
        """Return the number of samples."""
        return len(self.labels)

    @cached_property
    def clusters(self) -> NDArray[np.intp]:
        """Return the labels that occur, ascending."""
        return np.unique(self.labels)

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """Return the position of every sample's label among the clusters."""
        return np.searchsorted(self.clusters, self.labels)

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """Return the number of samples of every cluster."""
        return np.bincount(self.codes, minlength=len(self.clusters))

    @cached_property
    def confidence(self) -> NDArray[np.float64] | None:
        """Return the confidence of every sample, if the model has one."""
        found = getattr(self.model, "confidence_", None)
        return None if found is None else np.asarray(found, dtype=np.float64)

    @cached_property
    def low_confidence(self) -> float | None:
        """Return the confidence below which the least certain tenth of the samples lies."""
        return None if self.confidence is None else float(np.quantile(self.confidence, 0.1))

    @property
    def view_names(self) -> list[str]:
        """Return the names of the views."""
        return [str(name) for name in self.model.view_names_]

    @property
    def rated(self) -> bool:
        """Return whether the model has views that vote, and rows with a confidence."""
        return hasattr(self.model, "reliability_")

    def feature_names(self, v: int) -> list[str]:
        """Return the names of a view's columns, or their numbers."""
        known, width = self.model.view_columns_[v], int(self.model.view_widths_[v])
        return [f"column {j}" for j in range(width)] if known is None else [str(name) for name in known]

    def id_of(self, row: int) -> str:
        """Return what a sample is called."""
        return str(row) if self.ids is None else str(self.ids[row])

    def blocks(self, v: int) -> Iterator[tuple[int, Any]]:
        """Yield the first row and the table of every row block of a view."""
        assert self.views is not None
        for start in range(0, self.n_samples, BLOCK_ROWS):
            part = self.views.tables[v][start : start + BLOCK_ROWS]
            yield start, part if sp.issparse(part) else np.asarray(part)

    @cached_property
    def missing(self) -> NDArray[np.bool_] | None:
        """Return which views (V, n) lack which samples; a sparse row without entries is one where the model says so."""
        if self.views is None:
            return None
        geometry = getattr(getattr(self.model, "anchor_graph_", None), "geometry", None)
        empty_is_absent = getattr(geometry, "empty_rows_absent", np.zeros(len(self.view_names), dtype=bool))
        missing = np.zeros((len(self.view_names), self.n_samples), dtype=bool)
        for v in range(len(missing)):
            for start, block in self.blocks(v):
                missing[v, start : start + block.shape[0]] = _missing(block, bool(empty_is_absent[v]))
        return missing


def _missing(block: Any, empty_is_absent: bool) -> NDArray[np.bool_]:
    if sp.issparse(block):
        return np.diff(block.indptr) == 0 if empty_is_absent else np.zeros(block.shape[0], dtype=bool)
    if not block.shape[1]:
        return np.zeros(len(block), dtype=bool)
    absent = np.isnan(block[:, 0])
    return absent | ~block.any(axis=1) if empty_is_absent else absent


def gather(
    model: Any,
    views: Any,
    /,
    *,
    name: str,
    y_true: ArrayLike | None,
    metadata: Any,
    ids: ArrayLike | None,
    images: ArrayLike | None,
    seconds: float | None,
) -> Inputs:
    """Check everything about the samples against the model; errors name what does not fit."""
    check_is_fitted(model)
    n = len(model.labels_)
    checked = None
    if views is not None:
        checked = check_views(views, ranges=model.views, estimator=model, reset=False, lazy=True, rows_may_miss=True)
        if len(checked) != n:
            raise ValueError(
                f"views has {len(checked)} rows, but the model was fitted on {n}: give the rows of the fit."
            )
    known = None if ids is None else per_row(ids, n, "ids")
    if known is None and checked is not None:
        known = checked.ids
    pictures = None if images is None else per_row(images, n, "images")
    if pictures is not None and pictures.ndim != 3:
        raise ValueError(f"images must have shape (n_samples, height, width); got {pictures.shape}.")
    return Inputs(
        model=model,
        views=checked,
        name=name,
        ids=known,
        metadata={} if metadata is None else metadata_columns(metadata, n, known),
        y_true=None if y_true is None else _classes(y_true, n, known),
        images=pictures,
        seconds=seconds,
    )


def per_row(values: ArrayLike, n_samples: int, name: str, /) -> NDArray[Any]:
    """Return values as an array with one entry per sample."""
    array = np.asarray(values)
    if array.ndim == 0 or len(array) != n_samples:
        raise ValueError(f"{name} has shape {array.shape}, but the model was fitted on {n_samples} rows.")
    return array


def _classes(y_true: ArrayLike, n_samples: int, ids: NDArray[Any] | None) -> NDArray[Any]:
    aligned = by_id(y_true, ids, "y_true")
    if aligned is not y_true and aligned.isna().any():
        lacking = aligned.index[aligned.isna()][0]
        raise ValueError(f"y_true has no class for sample {lacking!r}: scores need one for every sample.")
    return per_row(aligned, n_samples, "y_true")


def by_id(table: Any, ids: NDArray[Any] | None, name: str, /) -> Any:
    """Return a pandas frame or series in the order of the samples; by position where one of the two has no ids."""
    if ids is None or not hasattr(table, "reindex") or type(table.index).__name__ == "RangeIndex":
        return table
    index = table.index
    wanted = ids.tolist()
    if not set(index).intersection(wanted):
        raise ValueError(
            f"The index of {name} holds none of the ids of the samples ({wanted[0]!r}, ...): set it to the ids, or "
            "drop it with reset_index(drop=True) if the rows are in the order of the samples."
        )
    if not index.is_unique:
        raise ValueError(f"{name} has an id twice, {index[index.duplicated()][0]!r}: give one row per sample.")
    return table.reindex(wanted)


def metadata_columns(metadata: Any, n_samples: int, ids: NDArray[Any] | None, /) -> dict[str, NDArray[Any]]:
    """Return the columns of a data frame or a mapping; samples that a pandas frame with ids lacks have no values."""
    metadata = by_id(metadata, ids, "metadata")
    names = list(metadata) if isinstance(metadata, Mapping) else list(metadata.columns)
    return {str(name): per_row(metadata[name], n_samples, f"metadata column {str(name)!r}") for name in names}


def is_numeric(column: NDArray[Any], /) -> bool:
    """Return whether a metadata column is a quantity: numbers with more than a few values, unlike codes 0, 1, 2."""
    if column.dtype.kind == "f":
        values = column[np.isfinite(column)]
        return len(np.unique(values)) > 6 or not bool(np.all(values == np.round(values)))
    return column.dtype.kind in "iu" and len(np.unique(column)) > 12


def categories(column: NDArray[Any], /) -> tuple[list[str], NDArray[np.intp]]:
    """Return the names of the categories and the code of every sample; -1 where the value is missing."""
    missing = np.array(
        [value is None or value != value or str(value) == "<NA>" for value in column.tolist()], dtype=bool
    )
    names = np.array([_shown(value) for value in column.tolist()], dtype=object)
    found, codes = np.unique(names[~missing].astype(str), return_inverse=True)
    out = np.full(len(column), -1, dtype=np.intp)
    out[~missing] = codes
    return found.tolist(), out


def _shown(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value == value and value.is_integer() else str(value)
