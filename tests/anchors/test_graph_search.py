import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.anchors.graph import Part, SliceAnchors, empty_near, number_type, search
from manyview.kernels.nearest import expand

N, M, K = 23, 70, 4
RTOL = {"float32": 1e-3, "float64": 1e-10}
pytestmark = pytest.mark.usefixtures("way")


@pytest.fixture(params=RTOL)
def tables(request):
    rng = np.random.default_rng(0)
    return [tuple(rng.standard_normal((n, width)).astype(request.param) for n in (N, M)) for width in (3, 5)]


def parts_of(tables, *, valid=None, present=None):
    everywhere, always = np.ones(M, dtype=bool), np.ones(N, dtype=bool)
    return [
        Part(
            expand(x, anchors),
            SliceAnchors(anchors, everywhere if valid is None else valid[v]),
            always if present is None else present[v],
            v,
            joins=True,
        )
        for v, (x, anchors) in enumerate(tables)
    ]


def found(parts, *, joint=True, **options):
    near = empty_near(N, len(parts) + joint, M, k=K, dtype=parts[0].ready.x.dtype.name)
    search(parts, near, M, joint=len(parts) if joint else None, **options)
    return near


def exact(x, anchors):
    return ((x[:, None].astype(float) - anchors) ** 2).sum(axis=2)


def test_nearest_in_every_table_and_in_their_sum(tables):
    near = found(parts_of(tables))
    distances = [exact(*table) for table in tables]
    for place, d in enumerate([*distances, sum(distances)]):
        assert_array_equal(near.columns[:, place], np.argsort(d, axis=1)[:, :K])
        assert_allclose(near.d[:, place].T, np.sort(d, axis=1)[:, : K + 1], rtol=RTOL[near.d.dtype.name])


@pytest.mark.parametrize("rows_at_once", [1, 5, N])
def test_any_number_of_rows_may_go_together(tables, rows_at_once):
    whole = found(parts_of(tables))
    near = found(parts_of(tables), numbers_at_once=rows_at_once * M)
    assert_array_equal(near.columns, whole.columns)
    assert_allclose(near.d, whole.d, rtol=0.01 * RTOL[near.d.dtype.name])


def test_row_at_an_anchor_has_distance_zero(tables):
    half = N // 2  # the others are somewhere
    tables = [(np.vstack([anchors[:half], x[half:]]) + 100, anchors + 100) for x, anchors in tables]
    near = found(parts_of(tables))
    assert_array_equal(near.columns[:half, :, 0], np.repeat(np.arange(half)[:, None], 3, axis=1))
    assert_array_equal(near.d[0, :, :half], 0)
    assert (near.d[0, :, half:] > 0).all()


def test_row_absent_from_a_table(tables):
    present = np.ones((2, N), dtype=bool)
    present[0, [2, 21]], present[1, 7] = False, False
    near = found(parts_of(tables, present=present))
    first, second = (d * here[:, None] for d, here in zip((exact(*table) for table in tables), present, strict=True))
    assert_array_equal(near.columns[:, 2], np.argsort(first + second, axis=1, kind="stable")[:, :K])


def test_absent_rows_have_no_distance_in_the_joint_table_and_absent_anchors_an_average_one(tables):
    valid, present = np.ones((2, M), dtype=bool), np.ones((2, N), dtype=bool)
    valid[0, 3], valid[:, 5], present[1, 7] = False, False, False
    near = found(parts_of(tables, valid=valid, present=present))
    first, second = (exact(*table) for table in tables)
    first[:, 3] = first[:, [j for j in range(M) if j not in (3, 5)]].mean(axis=1)
    second[7] = 0
    total = first + second
    total[:, 5] = np.inf
    assert_array_equal(near.columns[:, 2], np.argsort(total, axis=1, kind="stable")[:, :K])
    assert not np.isin(near.columns[:, 0], [3, 5]).any()


def test_without_a_joint_table_there_are_the_tables_alone(tables):
    near = found(parts_of(tables), joint=False)
    assert_array_equal(near.columns, found(parts_of(tables)).columns[:, :2])


def test_numbers_of_anchors_are_small_where_they_can_be():
    assert number_type(32_767) == np.int16
    assert number_type(32_768) == np.int32
