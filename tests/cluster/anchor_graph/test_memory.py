"""A fit that needs more memory or disk space than is free is refused before it starts."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from manyview import AnchorGraphClustering, Views
from manyview.cluster.anchor_graph import memory
from manyview.cluster.anchor_graph.context import resolve
from manyview.cluster.anchor_graph.memory import COST, bytes_of_fit, bytes_of_neighbors
from manyview.engine import ENGINES
from manyview.metrics import adjusted_rand_index
from manyview.views import check_views
from manyview.views.arrow import PIECE_ROWS, WHOLE_ROWS
from recipes import QUICK

WIDTHS = (20, 50, 30)


class ParquetShape:
    """Looks like a Parquet table of this shape, without the file."""

    slow, dtype = True, np.dtype(np.float32)

    def __init__(self, n_rows, n_columns, piece_rows):
        self.shape = (n_rows, n_columns)
        self.pieces = [(start, min(start + piece_rows, n_rows)) for start in range(0, n_rows, piece_rows)]


def needs(tables, K=10, factors="none", **options):
    views, model = Views(tables), AnchorGraphClustering(K, n_jobs=2, **options)
    held = bytes_of_fit(resolve(model, len(views), 0), views, model, factors=factors)
    return {name: engine.need(held) for name, engine in ENGINES.items()}


def needs_of_shape(n_rows, widths=WIDTHS, K=10, dtype=np.float32, **options):
    """Estimate what dense views of this shape need; one number stands for all of them."""
    return needs([np.broadcast_to(dtype(0), (n_rows, width)) for width in widths], K, **options)


@pytest.fixture
def views():
    return [np.random.default_rng(0).standard_normal((200, 3), dtype=np.float32) for _ in range(2)]


@pytest.mark.parametrize("engine", ["memory", "disk", "dask"])
def test_needs_grow_with_every_size(engine):
    usual = needs_of_shape(100_000)[engine]
    for larger in (
        needs_of_shape(1_000_000),
        needs_of_shape(100_000, widths=(200, 500, 300)),
        needs_of_shape(100_000, widths=(*WIDTHS, 30)),
        needs_of_shape(100_000, K=40),
        needs_of_shape(100_000, dtype=np.float64),
        needs_of_shape(100_000, factors="coupled"),
    ):
        assert larger[engine].memory > usual.memory
        assert larger[engine].scratch >= usual.scratch


def test_factorization_needs_more_than_consensus():
    none, shared, coupled = (needs_of_shape(100_000, factors=factors) for factors in ("none", "shared", "coupled"))
    for engine in ("memory", "disk", "dask"):
        assert sum(none[engine]) < sum(shared[engine]) < sum(coupled[engine])


def test_anchors_take_memory_beside_the_caller_not_on_the_workers():
    few, many = (needs_of_shape(100_000, n_anchors=m) for m in (1_000, 4_000))
    assert few["memory"].memory < many["memory"].memory
    assert few["disk"].memory < many["disk"].memory
    assert few["dask"] == many["dask"]


def test_only_the_disk_engine_needs_scratch_space_and_its_memory_grows_slowly():
    small, large = needs_of_shape(100_000), needs_of_shape(1_000_000)
    assert large["memory"].scratch == large["dask"].scratch == 0
    assert large["memory"].memory > 3.5 * small["memory"].memory
    assert large["disk"].memory < large["memory"].memory / 2
    assert large["disk"].scratch == 10 * small["disk"].scratch


def test_a_large_fit_needs_what_was_measured():
    """A factorization of a million rows with 500 anchors took 1,121 MB in memory and 233 MB from disk."""
    large = needs_of_shape(1_000_000, factors="shared", n_anchors=500)
    assert 1.121e9 / 1.5 < large["memory"].memory < 1.121e9 * 1.5
    tables = [ParquetShape(1_000_000, width, 100_000) for width in WIDTHS]
    large = needs(tables, factors="shared", n_anchors=500)
    assert 233e6 / 1.5 < large["disk"].memory < 233e6 * 1.5


def test_parquet_takes_more_memory_with_longer_pieces_and_is_copied_to_scratch():
    arrays = needs_of_shape(3_000_000, [200])["disk"]
    short, long, whole = (
        needs([ParquetShape(3_000_000, 200, rows)])["disk"] for rows in (10_000, PIECE_ROWS, 2 * WHOLE_ROWS)
    )
    assert arrays.memory + COST.parquet_reader < short.memory < long.memory < whole.memory
    assert short.scratch == long.scratch == arrays.scratch + 3_000_000 * 200 * 4


def test_tables_count_where_they_are_copied(tmp_path):
    """The memory engine loads files, the disk engine copies Parquet to scratch, and workers hold everything."""
    dense, sparse = np.zeros((1000, 50)), sp.random_array((1000, 400), density=0.01, format="csr", random_state=0)
    np.save(tmp_path / "0.npy", dense)
    pq.write_table(pa.table({f"c{j}": dense[:, j] for j in range(50)}), tmp_path / "0.parquet")
    in_memory, npy, parquet = (
        needs(check_views([table, sparse], lazy=True).tables)
        for table in (dense, tmp_path / "0.npy", tmp_path / "0.parquet")
    )
    entries = sum(part.nbytes for part in (sparse.data, sparse.indices, sparse.indptr))
    assert npy["memory"].memory == parquet["memory"].memory == in_memory["memory"].memory + 400_000
    assert npy["disk"] == in_memory["disk"]
    assert parquet["disk"].scratch == npy["disk"].scratch + 400_000 + entries
    assert npy["dask"] == in_memory["dask"]


def test_a_wide_sparse_table_counts_with_its_scores():
    narrow, wide = (needs([sp.csr_array((1000, width))])["memory"].memory for width in (500, 50_000))
    assert narrow == wide < needs_of_shape(1000, [500])["memory"].memory


def test_workers_hold_the_entries_of_a_sparse_table():
    empty, full = sp.csr_array((1000, 500)), sp.random_array((1000, 500), density=0.01, format="csr", random_state=0)
    more = full.data.nbytes + full.indices.nbytes + full.indptr.nbytes - empty.indptr.nbytes
    assert needs([full])["dask"].memory == needs([empty])["dask"].memory + more
    assert needs([full])["memory"] == needs([empty])["memory"]


def test_a_fit_that_needs_too_much_memory_is_refused_and_works_from_disk(monkeypatch):
    labels = np.arange(30_000) % 3
    rows = 10 * np.eye(3, dtype=np.float32)[labels]
    views = [rows + np.random.default_rng(v).standard_normal((30_000, 3), dtype=np.float32) for v in range(2)]
    options = {"n_anchors": 50, "recipe": replace(QUICK, max_drawn_rows=100_000), "random_state": 0}
    need = needs(views, 3, **options)
    free = (need["disk"].memory + need["memory"].memory) // 2
    monkeypatch.setattr(memory, "available_memory", lambda: free)
    with pytest.raises(
        MemoryError, match=r"needs about \d+ MB of memory and \d+ MB are free\. engine='disk' needs \d+ MB"
    ):
        AnchorGraphClustering(3, n_jobs=2, **options).fit(views)
    model = AnchorGraphClustering(3, engine="disk", n_jobs=2, **options).fit(views)
    assert adjusted_rand_index(labels, model.labels_) == 1


def test_memory_is_checked_again_when_the_number_of_clusters_is_known(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 40)
    views = [10 * rng.standard_normal((12, 6))[labels] + rng.standard_normal((480, 6)) for _ in range(2)]
    views = [view.astype(np.float32) for view in views]
    few, many = (needs(views, K)["memory"].memory for K in (2, 12))
    monkeypatch.setattr(memory, "available_memory", lambda: (few + many) // 2)
    with pytest.raises(MemoryError, match="This fit needs about"):
        AnchorGraphClustering("auto", recipe=QUICK, random_state=0, n_jobs=2).fit(views)
    monkeypatch.setattr(memory, "available_memory", lambda: many)
    assert AnchorGraphClustering("auto", recipe=QUICK, random_state=0, n_jobs=2).fit(views).n_clusters_ == 12


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_a_fit_that_is_too_large_for_the_disk_engine_is_sent_to_a_cluster(views, monkeypatch, engine):
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"and 1 MB are free\. Lower block_rows or n_jobs, or .* engine='dask'"):
        AnchorGraphClustering(3, engine=engine).fit(views)


def test_workers_without_enough_memory_are_refused(views, monkeypatch):
    monkeypatch.setattr(memory, "memory_of_workers", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"1 MB are free on the workers\. Start more workers; engine='disk' needs"):
        AnchorGraphClustering(3, engine="dask").fit(views)


def test_a_disk_without_enough_space_is_refused_before_it_fills(views, tmp_path, monkeypatch):
    class Usage:
        free = 1000

    monkeypatch.setattr(memory, "available_memory", lambda: None)
    monkeypatch.setattr(memory.shutil, "disk_usage", lambda path: Usage)
    with pytest.raises(OSError, match=r"needs about \d+ MB of scratch space and .* has 0 MB: name another directory"):
        AnchorGraphClustering(3, engine="disk", scratch=tmp_path).fit(views)


def test_nothing_is_refused_where_the_free_memory_is_unknown(views, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert len(AnchorGraphClustering(3, random_state=0).fit(views).labels_) == 200


def test_graphs_of_rows_need_what_was_measured():
    """The stage that compares 20,000 rows of three views with one another allocated 119 MB at its peak."""
    views = check_views([np.broadcast_to(np.float32(0), (25_000, width)) for width in WIDTHS])
    settings = resolve(AnchorGraphClustering(10), len(views), 0)
    assert 119e6 / 1.5 < bytes_of_neighbors(20_000, 3, 8, 10, settings) < 119e6 * 1.5
