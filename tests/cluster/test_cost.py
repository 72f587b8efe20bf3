"""Limits that are known before: the estimate, and a polite refusal."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from manyview import SemiNTF
from manyview.cluster.semi_ntf import cost, duration
from manyview.cluster.semi_ntf.footprint import decoding, footprint
from manyview.cluster.semi_ntf.settings import resolve
from manyview.cluster.semi_ntf.shape import shape_of
from manyview.metrics import adjusted_rand_index
from manyview.views import check_views

WIDTHS = [20, 50, 30]

MEASURE = """
import json, sys, warnings
import numpy as np
from manyview import SemiNTF

def resident(field):  # ru_maxrss would count the process that started this one
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))

warnings.simplefilter("ignore")
engine, *paths = sys.argv[1:]
views = [np.load(path) for path in paths] if engine == "memory" else paths
open("/proc/self/clear_refs", "w").write("5")  # forgets the peak so far
before = resident("VmRSS")
SemiNTF(10, random_state=0, n_anchors=100, engine=engine, max_iter=5, n_init=1, n_jobs=2).fit(views)
print(json.dumps(resident("VmHWM") - before))
"""


@pytest.fixture
def nothing_is_timed(monkeypatch):
    """For tests that ask only for memory: the machine is not measured."""
    monkeypatch.setattr(duration, "_seconds_of", lambda work, n_threads, **options: 1.0)


@pytest.mark.usefixtures("nothing_is_timed")
def test_needs_grow_with_rows_and_clusters():
    small, large = (SemiNTF(10).estimate(n, WIDTHS) for n in (100_000, 1_000_000))
    assert large["memory"].memory > 4 * small["memory"].memory
    assert large["memory"].scratch == 0
    assert large["disk"].memory < large["memory"].memory / 2
    assert large["disk"].scratch > 9 * small["disk"].scratch
    more, coupled = (SemiNTF(20, coupling=c).estimate(1_000_000, WIDTHS) for c in ("shared", "clusters"))
    assert large["memory"].memory < more["memory"].memory < coupled["memory"].memory
    assert "disk" in str(large)


def save(view, kind, path):
    if kind == "npy":
        np.save(path, view)
    else:
        pq.write_table(pa.table({f"c{j}": view[:, j] for j in range(view.shape[1])}), path)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "engine, kind, n_rows, widths",
    [
        ("memory", "npy", 60_000, WIDTHS),
        ("memory", "npy", 60_000, [400]),
        ("disk", "parquet", 60_000, WIDTHS),
        ("disk", "parquet", 60_000, [300]),
    ],
)
def test_peak_memory_is_within_the_promised_factor(engine, kind, n_rows, widths, tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, n_rows)
    paths = [str(tmp_path / f"{v}.{kind}") for v in range(len(widths))]
    for path, width in zip(paths, widths, strict=True):
        centers = 0.5 * rng.standard_normal((10, width), dtype=np.float32)
        save(centers[labels] + rng.standard_normal((n_rows, width), dtype=np.float32), kind, path)
    run = [sys.executable, "-c", MEASURE, engine, *paths]
    measured = json.loads(subprocess.run(run, capture_output=True, text=True, check=True, timeout=200).stdout)
    group_rows = n_rows if kind == "parquet" else None
    need = SemiNTF(10, n_anchors=100, n_jobs=2).estimate(n_rows, widths, group_rows=group_rows)[engine].memory
    assert need / 1.5 <= measured <= need * 1.5


def test_numbers_of_twice_the_size_take_more():
    settings = resolve(SemiNTF(10), 100_000, 0)
    single, double = (
        footprint(settings, shape_of(settings, 100_000, [300], source=size), block_rows=16_384, n_threads=2)
        for size in (4, 8)
    )
    assert single.in_memory() < double.in_memory()
    assert decoding(300, 100_000) < decoding(300, 100_000, source=8) < decoding(300, 2_000_000)


@pytest.mark.usefixtures("nothing_is_timed")
def test_only_files_with_row_groups_are_decoded_and_copied():
    arrays, short, long = (
        SemiNTF(10).estimate(10**6, [200], group_rows=rows)["disk"] for rows in (None, 10_000, 10**6)
    )
    assert arrays.memory < short.memory < long.memory
    assert arrays.scratch < short.scratch == long.scratch


def operations(K=10, widths=WIDTHS, **changes):
    settings = resolve(SemiNTF(K, **changes), 100_000, 0)
    return sum(duration.operations(settings, shape_of(settings, 100_000, widths)))


def test_work_follows_the_sizes():
    """What a fit of such a shape was measured to take, in units of the usual one; without a clock."""
    usual = operations()
    assert 2 < operations(K=50) / usual < 6
    assert 2 < operations(n_anchors=2000) / usual < 6  # without A'A
    assert 1 < operations(widths=[500, 300]) / usual < 3
    assert 1.5 < operations(coupling="clusters") / usual < 6
    assert operations(widths=[1001]) > 1.5 * operations(widths=[1000])


def test_an_active_scheduler_is_asked_how_long_a_pass_takes(monkeypatch):
    usual = SemiNTF(10).estimate(1000, WIDTHS)
    assert all(need.seconds > 0 for need in usual.engines.values())
    monkeypatch.setattr(cost, "client_is_active", lambda: True)
    monkeypatch.setattr(cost, "seconds_of_a_pass", lambda n_rows, block_rows: 100.0)
    assert SemiNTF(10).estimate(1000, WIDTHS)["dask"].seconds > 6000 > usual["dask"].seconds


def test_anchors_that_are_given_take_no_time():
    for anchors in ("random", np.arange(500)):
        settings = resolve(SemiNTF(3, anchors=anchors), 10_000, 0)
        assert duration._anchor_seconds(settings, shape_of(settings, 10_000, [5]), 2) == 0
    settings = resolve(SemiNTF(3, n_anchors=50), 10_000, 0)
    assert duration._anchor_seconds(settings, shape_of(settings, 10_000, [5]), 2) > 0


@pytest.mark.parametrize("n_anchors", [20, 1500])
def test_what_a_row_adds_to_the_sums_is_measured(n_anchors):
    settings = resolve(SemiNTF(3, n_anchors=n_anchors), 10_000, 0)
    assert duration._gram_seconds(settings, shape_of(settings, 10_000, [5]), 2) > 0


def test_a_measurement_that_fails_is_no_measurement():
    with pytest.raises(ZeroDivisionError):
        duration._seconds_of(lambda: 1 / 0, 2)


def test_wide_views_are_compared_with_anchors_by_their_scores():
    settings = resolve(SemiNTF(10), 100_000, 0)
    shape = shape_of(settings, 100_000, [500, 30])
    assert shape.scores == (60, 30)
    assert (shape.L, shape.M, shape.n_sampled) == (6, 1000, 20_000)
    plain = resolve(SemiNTF(10, scale="standard"), 100_000, 0)
    assert shape_of(plain, 100_000, [500]).scores == (500,)


@pytest.fixture
def views():
    return [np.random.default_rng(0).standard_normal((200, 3), dtype=np.float32) for _ in range(2)]


@pytest.mark.usefixtures("nothing_is_timed")
def test_a_fit_that_does_not_fit_is_refused_before_it_starts(monkeypatch):
    labels = np.arange(40_000) % 3
    rows = 10 * np.eye(3, dtype=np.float32)[labels]
    views = [rows + np.random.default_rng(v).standard_normal((40_000, 3), dtype=np.float32) for v in range(2)]
    options = {"n_anchors": 50, "random_state": 0}
    need = SemiNTF(3, **options).estimate(40_000, [3, 3], group_rows=None)
    free = (need["disk"].memory + need["memory"].memory) // 2
    monkeypatch.setattr(cost, "available_memory", lambda: free)
    with pytest.raises(
        MemoryError, match=r"needs about \d+ MB of memory and \d+ MB are free\. engine='disk' needs \d+ MB"
    ):
        SemiNTF(3, **options).fit(views)
    model = SemiNTF(3, engine="disk", **options).fit(views)
    assert adjusted_rand_index(labels, model.labels_) == 1


@pytest.mark.usefixtures("nothing_is_timed")
def test_room_is_asked_for_again_when_the_number_of_clusters_is_known(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 40)
    views = [10 * rng.standard_normal((12, 6))[labels] + rng.standard_normal((480, 6)) for _ in range(2)]
    views = [view.astype(np.float32) for view in views]
    few, many = (SemiNTF(K, random_state=0).estimate(480, [6, 6])["memory"].memory for K in (2, 12))
    monkeypatch.setattr(cost, "available_memory", lambda: (few + many) // 2)
    with pytest.raises(MemoryError, match="This fit needs about"):
        SemiNTF("auto", random_state=0).fit(views)
    monkeypatch.setattr(cost, "available_memory", lambda: many)
    assert SemiNTF("auto", random_state=0).fit(views).n_clusters_ == 12


@pytest.mark.usefixtures("nothing_is_timed")
def test_an_unknown_number_of_clusters_is_taken_for_ten():
    unknown, ten = (SemiNTF(K).estimate(10_000, WIDTHS)["memory"].memory for K in ("auto", 10))
    assert unknown == ten


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_what_does_not_even_fit_from_disk_is_sent_to_a_cluster(views, monkeypatch, engine):
    monkeypatch.setattr(cost, "available_memory", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"and 1 MB are free\. Lower block_rows or n_jobs, or .* engine='dask'"):
        SemiNTF(3, engine=engine).fit(views)


def test_workers_without_room_are_not_asked(views, monkeypatch):
    monkeypatch.setattr(cost, "memory_of_workers", lambda: 1_000_000)
    with pytest.raises(MemoryError, match=r"1 MB are free on the workers\. Start more workers; engine='disk' needs"):
        SemiNTF(3, engine="dask").fit(views)


def test_tables_that_are_elsewhere_count_where_they_are_copied(views, tmp_path):
    """Files are loaded by the engine in memory, Parquet is copied to scratch, and workers hold everything."""
    whole = [np.zeros((1000, 50)), sp.random_array((1000, 400), density=0.01, format="csr", rng=0)]
    np.save(tmp_path / "0.npy", whole[0])
    pq.write_table(pa.table({f"c{j}": whole[0][:, j] for j in range(50)}), tmp_path / "0.parquet")
    entries = 4000 * (8 + 4) + 1001 * 4

    def copied(table):
        return cost._taken_over(check_views([table, whole[1]], lazy=True))

    assert copied(whole[0]) == {"memory": 0, "disk": 0, "dask": 400_000 + entries}
    assert copied(tmp_path / "0.npy") == {"memory": 400_000, "disk": 0, "dask": 400_000 + entries}
    assert copied(tmp_path / "0.parquet") == {"memory": 400_000, "disk": 400_000 + entries, "dask": 400_000 + entries}


def test_a_disk_without_room_is_refused_before_it_fills(views, tmp_path, monkeypatch):
    class Usage:
        free = 1000

    monkeypatch.setattr(cost.shutil, "disk_usage", lambda path: Usage)
    with pytest.raises(OSError, match=r"needs about \d+ MB of scratch space and .* has 0 MB: name another directory"):
        SemiNTF(3, engine="disk", scratch=tmp_path).fit(views)


def test_where_memory_cannot_be_known_nothing_is_refused(views, monkeypatch):
    monkeypatch.setattr(cost, "available_memory", lambda: None)
    assert len(SemiNTF(3, random_state=0).fit(views).labels_) == 200


@pytest.mark.parametrize("n_samples, widths", [(100, []), (100, [0])])
def test_what_cannot_be_estimated_says_so(n_samples, widths):
    with pytest.raises(ValueError, match="estimate needs rows and columns"):
        SemiNTF(3).estimate(n_samples, widths)
