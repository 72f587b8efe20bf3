"""Labels of any kind as codes 0..K-1.

Every score here depends only on which samples share a label, so the one place that looks at the labels themselves is
this one. Integers of a narrow range are coded without a sort, other arrays by a sort, Python objects by their hash.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]


class Encoded(NamedTuple):
    """Labels as codes: ``names[codes]`` gives the labels back."""

    names: NDArray[Any]  # (K,), each label once; sorted wherever the labels have an order
    codes: IntArray  # (N,), every code 0..K-1 occurs


def encode(labels: ArrayLike, name: str, /) -> Encoded:
    """Check one label vector and code it; `name` is what errors call it."""
    array = _as_vector(labels, name)
    kind = array.dtype.kind
    if kind == "O":
        return _encode_objects(array, name)
    if kind in "fcmM":
        missing = np.isnat(array) if kind in "mM" else np.isnan(array)
        if missing.any():
            _refuse_missing(array, int(np.argmax(missing)), name)
    if kind in "iu":
        low, high = int(array.min()), int(array.max())
        if high - low <= 2 * len(array):  # the table of codes then costs no more than the labels
            return _encode_narrow(array, low, high)
    names, codes = np.unique(array, return_inverse=True)
    return Encoded(names, codes.reshape(-1).astype(np.int64, copy=False))


def check_same_length(first: Encoded, second: Encoded, /, *, names: tuple[str, str]) -> None:
    """Refuse two label vectors that cannot describe the same samples."""
    lengths = len(first.codes), len(second.codes)
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"{names[0]} has {lengths[0]} labels and {names[1]} has {lengths[1]}: "
            "give one label per sample, in the same order of samples, to both"
        )


def check_same_samples(first: Any, second: Any, /, *, names: tuple[str, str]) -> None:
    """Refuse two pandas Series that carry ids in another order; an index that only counts rows is no id."""
    one, other = getattr(first, "index", None), getattr(second, "index", None)
    if not all(hasattr(index, "equals") and type(index).__name__ != "RangeIndex" for index in (one, other)):
        return
    if one is not None and not one.equals(other):
        raise ValueError(
            f"{names[0]} and {names[1]} have different indexes: bring one into the order of the other, "
            f"{names[0]}.loc[{names[1]}.index], or compare them without ids, {names[0]}.to_numpy()"
        )


def _as_vector(labels: ArrayLike, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(labels)
    except ValueError as error:  # NumPy's word for a ragged list
        raise ValueError(f"{name} must be 1-D, one label per sample; got items of different lengths") from error
    if array.ndim != 1:
        raise ValueError(f"{name} must be 1-D, one label per sample; got {array.ndim}-D with shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: at least one sample is needed")
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        _refuse_missing(labels, int(np.argmax(np.ma.getmaskarray(labels))), name)
    if isinstance(labels, list | tuple) and array.dtype.kind in "US":
        # NumPy writes 1 and nan as "1" and "nan" when a list also has strings: keep the items as they are
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    return array if array.dtype.kind in "biufcmMUS" else array.astype(object)


def _encode_narrow(array: NDArray[Any], low: int, high: int) -> Encoded:
    """Encode integers within [low, high] by counting, in O(N + high - low)."""
    # unsigned subtraction wraps around to the right offset, also for the full range of int64
    offsets = (array.astype(np.uint64) - np.uint64(low % 2**64)).astype(np.int64)  # (N,)
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[offsets] = True
    present = np.flatnonzero(seen)  # (K,)
    code_of = np.cumsum(seen, dtype=np.int64) - 1
    names = (present.astype(np.uint64) + np.uint64(low % 2**64)).astype(array.dtype)
    return Encoded(names, code_of[offsets])


def _encode_objects(array: NDArray[Any], name: str) -> Encoded:
    """Encode hashable objects; labels without an order keep the order of their first appearance."""
    code_of: dict[Any, int] = {}
    codes = np.empty(len(array), dtype=np.int64)
    for row, label in enumerate(array):
        try:
            codes[row] = code_of.setdefault(label, len(code_of))
        except TypeError as error:
            kind = type(label).__name__
            raise ValueError(f"{name}, row {row}: a label must be hashable, got a {kind}") from error
    keys = list(code_of)
    for code, label in enumerate(keys):
        if _is_missing(label):
            _refuse_missing(array, int(np.argmax(codes == code)), name)
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__)
    except TypeError:
        order = list(range(len(keys)))
    rank = np.empty(len(keys), dtype=np.int64)
    rank[order] = np.arange(len(keys))
    names = np.empty(len(keys), dtype=object)
    for position, code in enumerate(order):  # one by one: NumPy would spread a tuple over cells
        names[position] = keys[code]
    return Encoded(names, rank[codes])


def _is_missing(label: Any) -> bool:
    """Return whether a value is None, or does not plainly equal itself: nan, NaT, pandas.NA."""
    if label is None:
        return True
    same = label == label
    return not (isinstance(same, bool | np.bool_) and bool(same))


def _refuse_missing(labels: Any, row: int, name: str) -> None:
    raise ValueError(
        f"{name}, row {row}: the label is missing ({labels[row]!r}). "
        "Drop the unlabeled samples from both label vectors before scoring"
    )
