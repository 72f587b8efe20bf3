from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview.engine import add
from manyview.engine.rows import as_contiguous, concatenate, edges, even_edges, fold


class Report(NamedTuple):
    gram: np.ndarray
    count: int


@given(st.integers(1, 300), st.integers(1, 400))
def test_blocks_cover_the_rows_once_and_in_order(n_rows, block_rows):
    stretches = edges(n_rows, block_rows)
    assert [row for start, stop in stretches for row in range(start, stop)] == list(range(n_rows))
    sizes = [stop - start for start, stop in stretches]
    assert all(size == block_rows for size in sizes[:-1])
    assert 1 <= sizes[-1] <= block_rows


@pytest.mark.parametrize(
    "n_rows, block_rows, expected",
    [(4, 4, [(0, 4)]), (5, 4, [(0, 4), (4, 5)]), (3, 4, [(0, 3)]), (8, 4, [(0, 4), (4, 8)]), (2, 1, [(0, 1), (1, 2)])],
)
def test_edges_at_the_end_of_the_rows(n_rows, block_rows, expected):
    assert edges(n_rows, block_rows) == expected


def test_adding_goes_into_tuples_and_keeps_their_kind():
    assert add(2, 3) == 5
    assert add((1, (2.0, 3)), (10, (20.0, 30))) == (11, (22.0, 33))
    total = add(Report(np.eye(2), 1), Report(np.ones((2, 2)), 4))
    assert type(total) is Report
    assert total.count == 5
    assert_array_equal(total.gram, [[2, 1], [1, 2]])


def test_adding_changes_neither_side():
    first, second = np.ones(3), np.full(3, 2.0)
    assert_array_equal(add((first,), (second,))[0], 3)
    assert_array_equal(first, 1)
    assert_array_equal(second, 2)


def test_tuples_of_different_length_do_not_add():
    with pytest.raises(ValueError, match="shorter"):
        add((1, 2), (1,))


def test_parts_are_put_together_in_order():
    parts = [np.full((2, 3), 1.0), np.full((1, 3), 2.0)]
    assert_array_equal(concatenate(parts)[:, 0], [1, 1, 2])
    together = concatenate([sp.csr_array(part) for part in parts])
    assert together.format == "csr"
    assert_array_equal(together.toarray(), concatenate(parts))
    assert concatenate(parts[:1]) is parts[0]


def nested(a, b):
    return f"({a}{b})"


@pytest.mark.parametrize(
    "count, expected", [(1, "0"), (2, "(01)"), (3, "((01)2)"), (4, "((01)(23))"), (7, "(((01)(23))((45)6))")]
)
def test_values_are_combined_in_a_tree_over_their_order(count, expected):
    assert fold(map(str, range(count)), nested) == expected


@given(st.integers(1, 200), st.integers(0, 5))
def test_aligned_stretches_are_subtrees(count, level):
    values = [str(value) for value in range(count)]
    stretches = [values[start : start + 2**level] for start in range(0, count, 2**level)]
    assert fold((fold(stretch, nested) for stretch in stretches), nested) == fold(values, nested)


def test_few_values_are_held_at_a_time():
    alive, most = 0, 0

    class Value:
        def __init__(self):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

    fold((Value() for _ in range(1000)), lambda a, b: Value())
    assert most <= 14


def test_contiguous_blocks_are_row_major_and_otherwise_the_same():
    block = Report(np.arange(6.0).reshape(2, 3).T, [np.ones((2, 2)), (np.float64(1), "name")])
    same = as_contiguous(block)
    assert type(same) is Report
    assert same.gram.flags.c_contiguous
    assert_array_equal(same.gram, block.gram)
    assert same.count[0] is block.count[0]
    assert same.count[1] == (1, "name")
    assert as_contiguous(np.array(3.0)).shape == ()
    shifted = np.frombuffer(b"." + np.arange(3.0).tobytes(), offset=1)
    assert not shifted.flags.aligned
    assert as_contiguous(shifted).flags.aligned
    assert_array_equal(as_contiguous(shifted), [0, 1, 2])


@given(st.integers(1, 300), st.integers(1, 400))
def test_shared_work_is_cut_into_an_even_number_of_equal_blocks(n_rows, block_rows):
    stretches = even_edges(n_rows, block_rows)
    assert [row for start, stop in stretches for row in range(start, stop)] == list(range(n_rows))
    sizes = [stop - start for start, stop in stretches]
    assert max(sizes) <= block_rows
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) % 2 == 0 or len(sizes) == 1 or block_rows == 1
    assert len(sizes) > 1 or 2 * n_rows <= block_rows or n_rows == 1
