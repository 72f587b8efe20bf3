"""MATLAB files up to version 7 (the MAT 5 format): a structural check, then scipy.io.loadmat.

loadmat believes much of what stands in the file. On a damaged file it can return a cell array that lost items, numbers
read as another type, or crash. So walk the file first: every element must end inside its parent, every matrix
must hold exactly the bytes that its dimensions promise, every cell array as many items as it has places.
"""

from __future__ import annotations

import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .answer import Answer, Node

ITEM_BYTES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}  # storage type -> bytes a number
INTEGERS = {1, 2, 3, 4, 5, 6, 12, 13}
# class of a numeric matrix -> its own storage type; a file may use a smaller integer type where the values fit
OWN_STORAGE = {6: 9, 7: 7, 8: 1, 9: 2, 10: 3, 11: 4, 12: 5, 13: 6, 14: 12, 15: 13}


class Kind(IntEnum):
    """Element types that hold other elements."""

    MATRIX = 14
    COMPRESSED = 15


class Class(IntEnum):
    """Matrix classes that are not numeric."""

    CELL = 1
    STRUCT = 2
    OBJECT = 3
    CHAR = 4
    SPARSE = 5
    FUNCTION = 16
    OPAQUE = 17


class Element(NamedTuple):
    kind: int
    body: memoryview


def read_mat5(path: str, answer: Answer) -> None:
    """Add all variables of the file to the answer."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadWarning

    content = Path(path).read_bytes()
    if content.startswith((b"# Created by Octave", b"Octave-1-")):
        raise ValueError("it is in a format of Octave's own; write it again with save -v7")
    check_structure(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", MatReadWarning)  # e.g. one variable twice
        variables = loadmat(path)
    for name, value in variables.items():
        if not name.startswith("__"):
            answer.add(name, _node(value, answer))


def _node(value: Any, answer: Answer) -> Node:
    if hasattr(value, "indptr"):
        return answer.sparse(value.data, value.indices, value.indptr, value.shape, by_columns=True)
    if not isinstance(value, np.ndarray):
        return answer.unusable(type(value).__name__)
    if value.dtype.names is not None:
        return answer.unusable("a struct")
    if value.dtype == object:
        return answer.cell(value.shape, [_node(item, answer) for item in value.ravel(order="F")])
    return answer.array(value)


def check_structure(content: bytes) -> None:
    """Raise ValueError unless the sizes in a MAT 5 file agree with each other and with its length."""
    if len(content) < 128 or 0 in content[:4]:
        raise ValueError("it has no MAT 5 header")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:128])
    if order is None:
        raise ValueError("its header has no byte order mark")
    for element in _elements(memoryview(content)[128:], order, padded=False):
        if element.kind == Kind.COMPRESSED:
            inner = list(_elements(memoryview(_inflate(element.body)), order, padded=False))
            if len(inner) != 1:
                raise ValueError(f"a compressed element holds {len(inner)} elements instead of one")
            element = inner[0]
        if element.kind != Kind.MATRIX:
            raise ValueError(f"an element of type {element.kind} stands where a variable is expected")
        _check_matrix(element.body, order)


def _inflate(body: memoryview) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(body)
    if not stream.eof:  # the checksum comes last
        raise ValueError("a compressed element is cut off")
    return content


def _elements(buffer: memoryview, order: str, *, padded: bool) -> Iterator[Element]:
    """Yield the elements that fill the buffer; inside a matrix they are padded to 8 bytes."""
    at = 0
    while at < len(buffer):
        if len(buffer) - at < 8:
            raise ValueError("it ends within the head of an element")
        (first,) = struct.unpack_from(order + "I", buffer, at)
        if first >> 16:  # small form: type, size and up to 4 bytes in 8
            kind, size, start, end = first & 0xFFFF, first >> 16, at + 4, at + 8
            if size > 4:
                raise ValueError(f"a small element claims {size} bytes")
        else:
            kind = first
            (size,) = struct.unpack_from(order + "I", buffer, at + 4)
            start = at + 8
            end = start + (-(-size // 8) * 8 if padded else size)
        if start + size > len(buffer):
            raise ValueError(f"an element of {size} bytes reaches beyond the {len(buffer) - start} that are there")
        yield Element(kind, buffer[start : start + size])
        at = end


def _check_matrix(body: memoryview, order: str) -> None:
    if len(body) == 0:  # an empty place of a cell array
        return
    parts = _elements(body, order, padded=True)
    flags = _numbers(next(parts), order, kinds={6}, least=2)
    matrix_class, is_complex = int(flags[0]) & 0xFF, bool(int(flags[0]) & 0x800)
    if matrix_class in (Class.FUNCTION, Class.OPAQUE):  # other layouts; never a view
        return
    dims = [int(n) for n in _numbers(_next(parts), order, kinds={5}, least=2)]
    if min(dims) < 0:
        raise ValueError(f"a variable has dimensions {dims}")
    _next(parts)  # its name
    if matrix_class == Class.CELL:
        _check_cell(list(parts), dims, order)
    elif matrix_class == Class.SPARSE:
        _check_sparse(list(parts), dims, order, is_complex)
    elif matrix_class in OWN_STORAGE:
        _check_numeric(list(parts), dims, matrix_class, is_complex)
    elif matrix_class not in (Class.STRUCT, Class.OBJECT, Class.CHAR):
        raise ValueError(f"a variable has the unknown class {matrix_class}")


def _check_cell(items: list[Element], dims: list[int], order: str) -> None:
    if len(items) != math.prod(dims):
        raise ValueError(f"a cell array of dimensions {dims} holds {len(items)} items")
    for item in items:
        if item.kind != Kind.MATRIX:
            raise ValueError(f"a cell array holds an element of type {item.kind}")
        _check_matrix(item.body, order)


def _check_sparse(parts: list[Element], dims: list[int], order: str, is_complex: bool) -> None:
    if len(dims) != 2 or len(parts) != (4 if is_complex else 3):
        raise ValueError(f"a sparse matrix has dimensions {dims} and {len(parts)} parts")
    rows = _numbers(parts[0], order, kinds={5, 6}, least=0)
    starts = _numbers(parts[1], order, kinds={5, 6}, least=1)
    n_values = [len(part.body) // ITEM_BYTES.get(part.kind, 1) for part in parts[2:]]
    if len(starts) != dims[1] + 1 or starts[0] != 0 or np.any(np.diff(starts) < 0):
        raise ValueError(f"the column starts of a sparse matrix of dimensions {dims} are wrong")
    n_entries = int(starts[-1])
    if n_entries > min(len(rows), *n_values):
        raise ValueError(f"a sparse matrix with {n_entries} entries holds only {min(len(rows), *n_values)}")
    if n_entries and not 0 <= rows[:n_entries].min() <= rows[:n_entries].max() < dims[0]:
        raise ValueError(f"a sparse matrix of dimensions {dims} has a row index outside of it")


def _check_numeric(parts: list[Element], dims: list[int], matrix_class: int, is_complex: bool) -> None:
    if len(parts) != (2 if is_complex else 1):
        raise ValueError(f"a numeric variable of dimensions {dims} has {len(parts)} parts")
    own = OWN_STORAGE[matrix_class]
    for part in parts:
        bytes_each = ITEM_BYTES.get(part.kind, 0)
        if part.kind != own and not (part.kind in INTEGERS and bytes_each < ITEM_BYTES[own]):
            raise ValueError(f"a variable of class {matrix_class} is stored as type {part.kind}")
        if len(part.body) != math.prod(dims) * bytes_each:
            raise ValueError(f"a variable of dimensions {dims} holds {len(part.body)} bytes of type {part.kind}")


def _next(parts: Iterator[Element]) -> Element:
    element = next(parts, None)
    if element is None:
        raise ValueError("a variable ends before its data")
    return element


def _numbers(element: Element, order: str, *, kinds: set[int], least: int) -> NDArray[np.integer[Any]]:
    """Return the 4-byte integers of a head element: flags, dimensions, indices."""
    if element.kind not in kinds or len(element.body) % 4 or len(element.body) < 4 * least:
        raise ValueError(f"a variable's head has an element of type {element.kind} with {len(element.body)} bytes")
    return np.frombuffer(element.body, dtype=order + ("i4" if 5 in kinds else "u4"))
