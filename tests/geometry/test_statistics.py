import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.geometry.statistics import column_statistics, filled_rows, spread

N = 60


@pytest.fixture
def counts():
    """Whole numbers, with empty rows, an empty and a constant column."""
    table = np.random.default_rng(0).poisson(0.7, (N, 6)).astype(float) - 1
    table[:, 2], table[:, 3] = 0, 2
    table[[4, 30, N - 1]] = 0
    return table


def test_columns_are_what_the_whole_table_says(cut, counts):
    (columns,) = column_statistics(*cut([counts]))
    assert (columns.n_rows, columns.n_filled) == (N, N - 3)
    assert_array_equal(columns.non_zeros, (counts != 0).sum(axis=0))
    assert_array_equal(columns.total, counts.sum(axis=0))
    assert_array_equal(columns.mean, counts.sum(axis=0) / N)
    assert_array_equal(columns.low, counts.min(axis=0))
    assert_array_equal(columns.high, counts.max(axis=0))
    assert columns.density == (counts != 0).mean()


@pytest.mark.parametrize("block_rows", [1, 7, N - 1, N, 1000])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_blocks_of_any_size_and_kind_give_the_same_columns(cut, counts, make, block_rows):
    (expected,) = column_statistics(*cut([counts]))
    (columns,) = column_statistics(*cut([make(counts)], block_rows))
    for ours, theirs in zip(columns, expected, strict=True):
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("block_rows", [1, 7, N])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_blocks_of_any_size_and_kind_give_the_same_spread(cut, counts, make, block_rows):
    rows, engine = cut([np.ones((N, 1)), make(counts)], block_rows)
    found = spread(1, column_statistics(rows, engine)[1], rows, engine)
    assert_allclose(found.deviation, counts.std(axis=0), rtol=1e-12, atol=1e-15)
    assert_array_equal(found.varies, [True, True, False, True, True, True])
    r = np.corrcoef(counts[:, found.varies].T)
    pairs = r[np.triu_indices(5, 1)]
    assert found.n_pairs == 10
    assert_allclose(found.correlation, N * (pairs**2).mean(), rtol=1e-10)


@given(gone=st.lists(st.booleans(), min_size=N, max_size=N).filter(lambda gone: not all(gone)), size=st.integers(1, N))
def test_rows_that_a_view_lacks_do_not_count(cut, gone, size):
    table = np.random.default_rng(0).poisson(0.7, (N, 4)).astype(float) - 1
    lacking = np.where(np.array(gone)[:, None], np.nan, table)
    rows, engine = cut([np.ones((N, 1)), lacking], size)
    there, others = cut([np.ones((N - sum(gone), 1)), table[~np.array(gone)]])
    found, expected = column_statistics(rows, engine)[1], column_statistics(there, others)[1]
    assert (found.n_rows, found.n_missing) == (N - sum(gone), sum(gone))
    for ours, theirs in zip(found._replace(n_missing=0), expected, strict=True):
        assert_array_equal(ours, theirs)
    if found.n_rows > 1:
        ours, theirs = spread(1, found, rows, engine), spread(1, expected, there, others)
        assert_allclose(ours.deviation, theirs.deviation, rtol=1e-12, atol=1e-15)


def test_stored_zeros_are_zeros():
    table = sp.csr_array((np.array([0.0, 1.0, 0.0]), np.array([0, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 2))
    assert table.nnz == 3
    assert_array_equal(filled_rows(table), [True, False, False])
    assert_array_equal(filled_rows(table.toarray()), [True, False, False])


def test_stored_zeros_do_not_count_as_density(cut):
    table = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2, 2])), shape=(2, 2))
    (columns,) = column_statistics(*cut([table]))
    assert columns.density == 0.25
    assert_array_equal(columns.non_zeros, [0, 1])
    assert columns.n_filled == 1


@pytest.mark.parametrize("constant", [0.1, -1 / 3, 1e10 + 0.1, 1e-10])
def test_constant_column_does_not_vary(cut, constant):
    table = np.random.default_rng(0).random((N, 2))
    table[:, 1] = constant
    rows, engine = cut([table], 7)
    found = spread(0, column_statistics(rows, engine)[0], rows, engine)
    assert_array_equal(found.varies, [True, False])


def test_rounding_is_no_variation(cut):
    table = np.random.default_rng(0).random((N, 3)) * 1e9
    table[:, 1] = 1e8
    table[::2, 1] = np.nextafter(1e8, 2e8)
    table[:, 2] = np.arange(N) % 2 * 1e-4  # nothing beside the first column
    rows, engine = cut([table], 7)
    found = spread(0, column_statistics(rows, engine)[0], rows, engine)
    assert_array_equal(found.varies, [True, False, False])


def test_a_constant_view_has_no_column_that_varies(cut):
    rows, engine = cut([np.full((N, 5), 0.3)])
    found = spread(0, column_statistics(rows, engine)[0], rows, engine)
    assert not found.varies.any()
    assert found.n_pairs == 0


def test_single_precision_is_summed_in_double(cut):
    table = np.full((N, 1), 0.1, dtype=np.float32)
    table[::2] += 1e5
    rows, engine = cut([table], 7)
    (columns,) = column_statistics(rows, engine)
    assert columns.total[0] == table.astype(np.float64).sum()
    found = spread(0, columns, rows, engine)
    assert_allclose(found.deviation, table.astype(np.float64).std(axis=0), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_the_unit_of_measurement_does_not_matter(cut, scale):
    table = np.random.default_rng(0).standard_normal((N, 6))
    rows, engine = cut([table, table * scale])
    one, other = (spread(v, column_statistics(rows, engine)[v], rows, engine) for v in (0, 1))
    assert_allclose(other.deviation / scale, one.deviation, rtol=1e-10)
    assert_array_equal(other.varies, one.varies)
    assert_allclose(other.correlation, one.correlation, rtol=1e-8)


def test_correlation_separates_three_kinds_of_columns(cut):
    rng = np.random.default_rng(0)
    independent = rng.standard_normal((400, 12))
    centered = independent @ rng.standard_normal((12, 12))
    centered -= centered.mean(axis=0)
    scores = centered @ np.linalg.eigh(centered.T @ centered)[1]
    found = []
    for table in (scores, independent, centered):
        rows, engine = cut([table], 100)
        found.append(spread(0, column_statistics(rows, engine)[0], rows, engine).correlation)
    assert found[0] < 1e-10
    assert 0.6 < found[1] < 1.4
    assert found[2] > 5


def test_too_few_columns_cannot_be_told_apart(cut):
    rows, engine = cut([np.random.default_rng(0).random((N, 3))])
    found = spread(0, column_statistics(rows, engine)[0], rows, engine)
    assert (found.correlation, found.n_pairs) == (np.inf, 0)
