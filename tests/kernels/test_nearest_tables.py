"""The loop over several tables against exact distances, pair by pair."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from manyview.kernels import compiled
from manyview.kernels.nearest import expand, near_tables

pytestmark = pytest.mark.usefixtures("way")
every_way = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def loop():
    if compiled.library is None:
        pytest.skip("there is a compiled loop only")


def problem(n, m, widths, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return [tuple(rng.standard_normal((size, width)).astype(dtype) for size in (n, m)) for width in widths]


def exact(x, anchors):
    return ((x[:, None].astype(float) - anchors) ** 2).sum(axis=2)


@every_way
@given(
    st.integers(1, 50),
    st.integers(1, 16),
    st.integers(0, 150),
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_the_nearest_are_those_of_exact_distances(loop, n, k, more, widths, joint, seed):
    tables = problem(n, 4 * k + more, widths, seed)
    found = near_tables([expand(*table) for table in tables], k, joint=joint)
    distances = [exact(*table) for table in tables]
    sure = np.setdiff1d(np.arange(n), found.doubtful)
    assert found.columns.shape == found.d.shape == (n, len(widths) + joint, k)
    for s, d in enumerate([*distances, sum(distances)] if joint else distances):
        scale = d[sure].max(initial=1)
        chosen = np.take_along_axis(d[sure], found.columns[sure, s], axis=1)
        assert_allclose(found.d[sure, s], chosen, atol=1e-5 * scale)
        assert_allclose(chosen, np.sort(d[sure], axis=1)[:, :k], atol=1e-5 * scale)
        assert (np.diff(found.d[sure, s], axis=1) >= 0).all()
        assert all(len(set(row)) == k for row in found.columns[sure, s].tolist())


def test_row_bits_do_not_depend_on_other_rows(loop):
    tables = problem(47, 130, (20, 7))
    whole = near_tables([expand(*table) for table in tables], 5, joint=True)
    rows = np.array([46, 3, 21, 20, 19, 40, 0])
    some = near_tables([expand(x[rows], anchors) for x, anchors in tables], 5, joint=True)
    assert_array_equal(some.columns, whole.columns[rows])
    assert_array_equal(some.d, whole.d[rows])


def test_rows_with_lost_digits_are_doubtful(loop):
    tables = problem(60, 100, (4, 6))
    tables[1][0][[7, 33]] = tables[1][1][[2, 99]]
    found = near_tables([expand(*table) for table in tables], 3, joint=True)
    assert_array_equal(found.doubtful, [7, 33])


def test_rows_with_ties_or_nan_are_doubtful(loop):
    ((x, anchors),) = problem(30, 80, (5,))
    x[4] = np.nan
    found = near_tables([expand(x, anchors)], 3, joint=False)
    assert_array_equal(found.doubtful, [4])
    equal = np.repeat(anchors[:1], 80, axis=0)
    found = near_tables([expand(x[:4], equal)], 3, joint=False)
    assert_array_equal(found.doubtful, np.arange(4))


def test_what_the_loop_is_not_made_for_is_left_to_others():
    ((x, anchors),) = problem(10, 80, (5,))
    assert (near_tables([expand(x, anchors)], 3, joint=False) is None) == (compiled.library is None)
    assert near_tables([expand(x, anchors)], 17, joint=False) is None
    assert near_tables([expand(x, anchors[:11])], 3, joint=False) is None
    assert near_tables([expand(x.astype(float), anchors.astype(float))], 3, joint=False) is None
    assert near_tables([expand(sp.csr_array(x), anchors)], 3, joint=False) is None
