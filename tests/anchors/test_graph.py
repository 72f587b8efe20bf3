import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.anchors import choose_groups, fit_anchor_graph
from manyview.anchors.graph import GraphBlock, SliceName, label_cells, number_type
from manyview.anchors.selection import Groups, single_rows
from manyview.views.blocks import RowBlock, picked_rows

from oracles import distances_oracle, pkn_oracle

N, M = 70, 12


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return [rng.random((N, 4)) + 0.1, rng.standard_normal((N, 3))]


def words(rng, width=40):
    return np.where(rng.random((N, width)) < 0.08, rng.poisson(2, (N, width)) + 1.0, 0)


def some_groups(n_anchors=M, n=N):
    return Groups(np.arange(n), np.arange(n) % n_anchors, n_anchors)


def graph_of(fitted, groups, *, scales=(5,), joint=True, dtype="float64"):
    """The fitted graph and its slices (L, N, m), dense, put together from the blocks."""
    geometry, rows, engine = fitted
    graph = fit_anchor_graph(geometry, groups, rows, engine, scales=scales, joint=joint, dtype=dtype)
    blocks = [graph(block) for block in rows]
    slices = [
        np.vstack([block.slice(index, graph.n_anchors).toarray() for block in blocks])
        for index in range(len(graph.slices))
    ]
    return graph, np.array(slices), blocks


def scaled_tables(fitted, g):
    geometry, rows, engine = fitted
    tables = [engine.collect(lambda block, v=v: geometry.table(block, g, v), rows) for v in range(len(geometry.kinds))]
    return [table.toarray() if sp.issparse(table) else table for table in tables]


def group_means(table, groups):
    return np.array([table[groups.rows[groups.group == j]].mean(axis=0) for j in range(groups.n_anchors)])


def oracle_weights(table, anchors, scales):
    d = distances_oracle.squared_distances(table, anchors)
    return np.mean([pkn_oracle.anchor_graph(d, k) for k in scales], axis=0)


# weights


@pytest.mark.parametrize("scales", [(3,), (5,), (10,), (6, 2)])
def test_slices_equal_the_oracle(fit, data, scales):
    fitted = fit(data)
    groups = some_groups()
    graph, slices, _ = graph_of(fitted, [groups] * 2, scales=scales)
    assert graph.slices == [SliceName(g, v) for g in range(2) for v in (0, 1, None)]
    for name, weights in zip(graph.slices, slices, strict=True):
        tables = scaled_tables(fitted, name.geometry)
        table = np.hstack(tables) if name.view is None else tables[name.view]
        assert_allclose(weights, oracle_weights(table, group_means(table, groups), scales), atol=1e-8)


def test_sparse_views_are_one_document_in_the_joint_slice(fit, data):
    rng = np.random.default_rng(1)
    fitted = fit([sp.csr_array(words(rng)), data[0], words(rng, 50)])
    geometry, rows, engine = fitted
    groups = some_groups()
    graph, slices, _ = graph_of(fitted, [groups] * 2)
    for g in range(2):
        documents = engine.collect(lambda block, g=g: geometry.word_table(block, g), rows)
        table = np.hstack([documents, scaled_tables(fitted, g)[1]])
        joint = slices[graph.slices.index(SliceName(g, None))]
        assert_allclose(joint, oracle_weights(table, group_means(table, groups), (5,)), atol=1e-8)


def test_sparse_tables_have_the_graph_of_dense_ones(fit, data):
    X = [words(np.random.default_rng(0)), data[0]]
    ours, theirs = (
        graph_of(fit([make(table) for table in X], scale="rows"), [some_groups()])[1]
        for make in (sp.csr_array, np.asarray)
    )
    assert_allclose(ours, theirs, atol=1e-8)


@pytest.mark.parametrize("dtype, atol", [("float32", 1e-6), ("float64", 1e-14)])
@pytest.mark.parametrize("scales", [(1,), (4,), (8, 3), (11,)])
def test_rows_sum_to_one_over_their_few_anchors(fit, data, scales, dtype, atol):
    _, slices, blocks = graph_of(fit(data), [some_groups()] * 2, scales=scales, dtype=dtype)
    assert (slices >= 0).all()
    assert_allclose(slices.sum(axis=2), 1, atol=atol)
    assert (np.count_nonzero(slices, axis=2) <= scales[0]).all()
    assert all(block.present.all() for block in blocks)
    assert blocks[0].weights.dtype == np.dtype(dtype)
    assert blocks[0].columns.dtype == np.int16
    assert blocks[0].columns.shape == blocks[0].weights.shape == (11, 6, scales[0])


def test_single_precision_is_close_to_double(fit, data):
    single, double = (graph_of(fit(data), [some_groups()] * 2, dtype=dtype)[1] for dtype in ("float32", "float64"))
    assert_allclose(single, double, atol=1e-4)


def test_an_anchor_that_is_a_row_is_its_own_nearest(fit, data):
    chosen = np.array([3, 10, 11, 25, 40, 41, 60])
    _, slices, _ = graph_of(fit(data), [single_rows(chosen)] * 2, scales=(3,))
    assert_array_equal(slices[:, chosen].argmax(axis=2), np.broadcast_to(np.arange(7), (6, 7)))


@pytest.mark.parametrize("block_rows", [1, 30, N])
def test_blocks_of_any_size_have_the_same_graph(fit, data, block_rows):
    ours, theirs = (graph_of(fit(data, block_rows=size), [some_groups()] * 2)[1] for size in (block_rows, 17))
    assert_allclose(ours, theirs, atol=1e-9)


def test_new_rows_get_the_weights_of_equal_old_rows(fit, data):
    graph, slices, _ = graph_of(fit(data), [some_groups()] * 2)
    chosen = [50, 2, 33]
    block = graph(RowBlock(0, tuple(table[chosen] for table in data)))
    for index, weights in enumerate(slices):
        assert_allclose(block.slice(index, M).toarray(), weights[chosen], atol=1e-10)


@pytest.mark.parametrize("n_anchors, k", [(1, 1), (1, 4), (2, 1), (2, 5), (3, 3), (4, 3)])
def test_more_neighbors_than_there_are_anchors(fit, data, n_anchors, k):
    _, slices, _ = graph_of(fit(data), [some_groups(n_anchors)] * 2, scales=(k,))
    assert slices.shape == (6, N, n_anchors)
    assert_allclose(slices.sum(axis=2), 1, atol=1e-14)


def test_equal_rows_are_equally_near_to_all(fit):
    _, slices, _ = graph_of(fit([np.ones((N, 2)), np.zeros((N, 3))]), [some_groups()] * 2, scales=(4,))
    assert_allclose(slices.sum(axis=2), 1, atol=1e-14)
    assert_allclose(slices[..., :4], 0.25)


def test_without_a_joint_table(fit, data):
    graph, slices, _ = graph_of(fit(data), [some_groups()] * 2, joint=False)
    assert graph.slices == [SliceName(0, 0), SliceName(0, 1), SliceName(1, 0), SliceName(1, 1)]
    assert len(slices) == 4


# absence


@pytest.fixture
def with_gaps(data):
    """The first view has nothing to say about some rows."""
    data[0][[0, 5, 6, 20, 44]] = 0
    return data


def test_absent_row_has_no_weight_in_its_view(fit, with_gaps):
    fitted = fit(with_gaps)
    graph, slices, blocks = graph_of(fitted, [some_groups()] * 2)
    present = np.vstack([block.present for block in blocks])  # (N, L)
    for index, name in enumerate(graph.slices):
        absent = np.flatnonzero(~present[:, index])
        assert_array_equal(absent, [0, 5, 6, 20, 44] if name.view == 0 else [])
        assert_allclose(slices[index].sum(axis=1), present[:, index], atol=1e-14)


def test_anchors_are_means_of_present_rows_only(fit, with_gaps):
    fitted = fit(with_gaps)
    geometry, rows, engine = fitted
    groups = some_groups()
    graph = fit_anchor_graph(geometry, [groups] * 2, rows, engine, scales=(5,), joint=True, dtype="float64")
    table = scaled_tables(fitted, 0)[0]
    members = [row for row in range(0, N, M) if row != 0]  # group 0 without its absent row
    assert_allclose(graph.views[0][0].centers[0], table[members].mean(axis=0), atol=1e-12)


def test_absent_view_does_not_change_joint_distances(fit, with_gaps):
    fitted = fit(with_gaps)
    graph, slices, _ = graph_of(fitted, [some_groups()] * 2)
    for g in range(2):
        view, joint = (slices[graph.slices.index(SliceName(g, v))] for v in (1, None))
        assert_allclose(joint[[0, 5, 6, 20, 44]], view[[0, 5, 6, 20, 44]], atol=1e-10)
        assert np.abs(joint[1:5] - view[1:5]).max() > 0.01


def test_anchor_without_present_rows_is_no_neighbor(fit, with_gaps):
    chosen = np.array([0, 1, 2, 3, 5, 7, 8])  # rows 0 and 5 are absent in the first view
    graph, slices, _ = graph_of(fit(with_gaps), [single_rows(chosen)] * 2, scales=(6,))
    for index, name in enumerate(graph.slices):
        if name.view == 0:
            assert_array_equal(slices[index][:, [0, 4]], 0)
            assert_array_equal(np.unique(slices[index].sum(axis=1).round(12)), [0, 1])
        else:
            assert (slices[index][:, [0, 4]] > 0).any()


def test_view_without_anchors_is_absent(fit, data):
    data[0][30:] = 0
    graph, slices, blocks = graph_of(fit(data), [single_rows(np.arange(40, 52))] * 2)
    present = np.vstack([block.present for block in blocks])
    for index, name in enumerate(graph.slices):
        assert present[:, index].all() == (name.view != 0)
        assert present[:, index].any() == (name.view != 0)
        assert_allclose(slices[index].sum(axis=1), float(name.view != 0), atol=1e-14)


def test_fewer_groups_are_padded(fit, data):
    fewer = some_groups(9)
    fitted = fit(data)
    graph, slices, _ = graph_of(fitted, [some_groups(), fewer])
    assert graph.n_anchors == M
    tables = scaled_tables(fitted, 1)
    for v in (0, 1, None):
        weights = slices[graph.slices.index(SliceName(1, v))]
        assert_array_equal(weights[:, 9:], 0)
        table = np.hstack(tables) if v is None else tables[v]
        assert_allclose(weights[:, :9], oracle_weights(table, group_means(table, fewer), (5,)), atol=1e-8)


def test_geometry_that_merges_rows(fit):
    """Rows on three rays from the origin: many to the z-scores, three to Hellinger's geometry."""
    rng = np.random.default_rng(0)
    rays = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 1.0], [1.0, 1.0, 4.0]])[np.arange(N) % 3]
    fitted = fit([rays * 4.0 ** rng.integers(-3, 3, (N, 1)), 2 * rays])  # roots of powers of four are exact
    groups = choose_groups("kmeans", 10, *fitted, N, seed=0)
    assert [group.n_anchors for group in groups] == [10, 3]
    _, slices, _ = graph_of(fitted, groups, scales=(2,))
    assert_allclose(slices.sum(axis=2), 1, atol=1e-12)
    assert_array_equal(slices[3:, :, 3:], 0)


# taking rows


@pytest.mark.parametrize(
    "chosen", [[0], [5, 16, 17, 18, 69], [20, 20, 30], [0] * 17 + list(range(17, N)), list(range(N))]
)
def test_picked_rows_are_blocks_of_their_own(fit, data, chosen):
    _, rows, engine = fit(data)
    some = picked_rows(np.array(chosen), rows, engine)
    assert isinstance(some, list)
    assert sum(block.n_rows for block in some) == len(chosen)
    for v, table in enumerate(data):
        assert_array_equal(np.concatenate([block.tables[v] for block in some]), table[chosen])


def test_all_rows_are_picked_without_a_copy(fit, data):
    geometry, rows, engine = fit([sp.csr_array(words(np.random.default_rng(0))), data[1]])
    some = picked_rows(np.arange(N), list(engine.map(geometry.scored, rows)), engine)
    assert [block.start for block in some] == [block.start for block in rows]
    assert np.shares_memory(some[1].tables[1], rows[1].tables[1])
    assert some[1].scores


def test_scores_are_picked_with_their_rows(fit, data):
    geometry, rows, engine = fit([sp.csr_array(words(np.random.default_rng(0))), data[1]])
    (some,) = picked_rows(np.array([1, 30, 69]), list(engine.map(geometry.scored, rows)), engine)
    for g in range(geometry.n_geometries):
        expected = engine.collect(lambda block, g=g: geometry.table(block, g, 0), rows)[[1, 30, 69]]
        assert_array_equal(geometry.table(some, g, 0), expected)


@pytest.mark.parametrize("scale", ["auto", "standard", "rows", "max", "none"])
def test_blocks_without_anchors_are_no_obstacle(fit, data, scale):
    fitted = fit([sp.csr_array(words(np.random.default_rng(0))), data[1]], scale=scale, block_rows=5)
    groups = [single_rows(np.array([3, 4, 41]))] * fitted[0].n_geometries
    _, slices, _ = graph_of(fitted, groups, scales=(2,))
    assert_allclose(slices[1].sum(axis=1), 1, atol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("dtype, atol", [("float64", 1e-12), ("float32", 1e-4)])
def test_reference_anchor_graphs(fit, reference_kernel, k, dtype, atol):
    case = reference_kernel("pkn_anchor_graph")
    fitted = fit([case["X1"], case["X2"]], scale="none", equalize=False)
    groups = choose_groups("variance", int(case["m"]), *fitted, 30, seed=0)
    graph, slices, _ = graph_of(fitted, groups, scales=(k,), joint=False, dtype=dtype)
    for v in (0, 1):
        assert_array_equal(graph.views[0][v].centers, case[f"anchors{v + 1}"])
        assert_allclose(slices[v], case[f"B{v + 1}_k{k}"], atol=atol)


# all slices at once


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masses_are_the_products_of_every_slice(fit, data, dtype):
    graph, slices, blocks = graph_of(fit(data), [some_groups()] * 2, dtype=dtype)
    Z = np.random.default_rng(1).standard_normal((N, 3))
    masses = sum(block.masses(Z[block.start : block.start + block.n_rows], graph.n_anchors) for block in blocks)
    assert masses.dtype == np.float64
    assert_allclose(masses, slices.swapaxes(1, 2) @ Z, atol=1e-5 if dtype == "float32" else 1e-12)
    beside = np.vstack([block.side_by_side(graph.n_anchors).toarray() for block in blocks])
    assert_array_equal(beside, np.hstack(list(slices)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masses_of_labels_are_those_of_their_indicator(fit, data, dtype):
    graph, _, blocks = graph_of(fit(data), [some_groups()] * 2, dtype=dtype)
    labels = np.random.default_rng(0).integers(0, 3, blocks[1].n_rows)
    ours = blocks[1].label_masses(labels, 3, graph.n_anchors)
    assert ours.dtype == np.float64
    assert_array_equal(ours, blocks[1].masses(np.eye(3)[labels], graph.n_anchors))


def test_label_masses_of_narrow_anchor_numbers():
    m, K, weights = 32_000, 5, np.array([[[0.25, 0.75]], [[0.5, 0.5]]])
    block = GraphBlock(0, np.array([[[31_999, 7]], [[31_999, 20_000]]], np.int16), weights, np.ones((2, 1), bool))
    mass = block.label_masses(np.array([4, 1]), K, m)
    assert {tuple(cell): mass[tuple(cell)] for cell in np.argwhere(mass)} == {
        (0, 31_999, 4): 0.25,
        (0, 7, 4): 0.75,
        (0, 31_999, 1): 0.5,
        (0, 20_000, 1): 0.5,
    }


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
def test_label_cells_beyond_32_bits(kind):
    columns = np.array([[[0], [32_000]]], np.int16)
    cells = label_cells(columns, np.array([99], kind), 100_000, 32_001)
    assert cells.ravel().tolist() == [99, (32_001 + 32_000) * 100_000 + 99]


def test_numbers_of_anchors_are_small_where_they_can_be(fit, data):
    _, _, blocks = graph_of(fit(data), [some_groups()] * 2)
    assert blocks[0].columns.dtype == np.int16
    assert number_type(32_767) == np.int16
    assert number_type(32_768) == np.int32
