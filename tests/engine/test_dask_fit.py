"""Fits on a cluster: the same bits as in memory, few computes, and no harm from a lost worker."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from manyview import AnchorGraphClustering, SemiNTF
from manyview.datasets import make_views
from manyview.engine import ENGINES
from manyview.engine.dask import DaskEngine
from recipes import MANY, QUICK, SAMPLED

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

N, K = 400, 4
SHAPE = {"n_anchors": 40, "block_rows": 60, "recipe": QUICK, "random_state": 0}
SETTINGS = SHAPE | {"max_iter": 4, "tol": 0.0}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def arrays():
    data = make_views(N, K, widths=(6, 9, 4), separation=1.5, random_state=0)
    return [view.astype(np.float32) for view in data.views.values()]


@pytest.fixture(scope="module")
def files(arrays, tmp_path_factory):
    path = tmp_path_factory.mktemp("views")
    for v, array in enumerate(arrays):
        table = pa.table({f"c{j}": array[:, j] for j in range(array.shape[1])})
        pq.write_table(table, path / f"{v}.parquet", row_group_size=90)
    return [path / f"{v}.parquet" for v in range(3)]


@pytest.fixture(scope="module")
def expected(arrays):
    return SemiNTF(K, **SETTINGS).fit(arrays)


def assert_same_fit(expected, found):
    for name in ("labels_", "membership_", "confidence_", "indicator_", "factors_", "view_weights_"):
        assert_array_equal(getattr(expected, name), np.asarray(getattr(found, name)), err_msg=name)
    assert_array_equal(expected.history_["objective"], found.history_["objective"])


@pytest.mark.parametrize("recipe", [QUICK, SAMPLED, MANY], ids=["all rows", "sampled", "many rows"])
def test_clustering_on_a_cluster_gives_the_bits_of_memory(client, files, arrays, recipe):
    settings = SHAPE | {"recipe": recipe}
    here, there = (AnchorGraphClustering(K, **settings).fit(views) for views in (arrays, files))
    assert isinstance(there.embedding_, da.Array)
    assert isinstance(there.labels_, np.ndarray)
    for name in ("labels_", "membership_", "embedding_", "confidence_", "views_disagree_", "view_weights_"):
        assert_array_equal(getattr(here, name), np.asarray(getattr(there, name)), err_msg=name)
    assert there.embedding_.shape == (N, K)
    np.testing.assert_allclose(np.linalg.norm(here.embedding_, axis=1), 1, rtol=1e-5)
    assert_array_equal(there.assess(files).view_labels, here.assess(arrays).view_labels)


def test_files_on_a_cluster_give_the_bits_of_arrays_in_memory(client, expected, files, arrays):
    model = SemiNTF(K, **SETTINGS).fit(files)
    assert isinstance(model.membership_, da.Array)
    assert isinstance(model.labels_, np.ndarray)
    assert_same_fit(expected, model)
    assert_array_equal(model.predict(files), expected.predict(arrays))
    assert_array_equal(np.asarray(model.transform(files)), expected.transform(arrays))
    assert_array_equal(model.predict(arrays), expected.predict(arrays))


def test_dask_collections_give_the_bits_of_arrays_in_memory(client, expected, files, arrays):
    chunked = da.from_array(arrays[0], chunks=(77, 4))
    frame = dd.read_parquet(files[1])
    assert_same_fit(expected, SemiNTF(K, **SETTINGS).fit([chunked, frame, arrays[2]]))


def test_views_that_samples_lack_are_missing_on_a_cluster_too(client, arrays):
    lacking = arrays[1].copy()
    lacking[50:170] = np.nan
    views = [arrays[0], lacking, arrays[2]]
    cluster = SemiNTF(K, **SETTINGS).fit([arrays[0], da.from_array(lacking, chunks=(77, 4)), arrays[2]])
    assert_same_fit(SemiNTF(K, **SETTINGS).fit(views), cluster)


@pytest.mark.parametrize("changes", [{}, {"coupling": "clusters"}], ids=str)
def test_an_iteration_is_a_fixed_number_of_computes(client, files, monkeypatch, changes):
    """Two passes, and a third where slices are coupled, however many rows there are."""
    counted = []

    class Counting(DaskEngine):
        def _compute(self, tasks):
            counted.append(1)
            return super()._compute(tasks)

    monkeypatch.setitem(ENGINES, "dask", Counting)
    at = []
    model = SemiNTF(
        K, **(SETTINGS | changes), verbose=lambda stage, done, total: at.append((stage, done, len(counted)))
    )
    model.fit(files)
    iterations = [count for stage, done, count in at if stage == "factorization" and done]
    assert set(np.diff(iterations)) == {3 if changes else 2}


def test_a_worker_killed_in_the_middle_changes_nothing(client, expected, files):
    workers = client.run(os.getpid)
    victim = sorted(workers.values())[0]

    def kill(stage, done, total):
        if (stage, done) == ("factorization", 2):
            os.kill(victim, signal.SIGKILL)

    assert_same_fit(expected, SemiNTF(K, **SETTINGS, verbose=kill).fit(files))
    client.wait_for_workers(3, timeout=60)
    assert victim not in client.run(os.getpid).values()


def test_a_checkpoint_written_by_workers_is_taken_up_in_memory(client, expected, files, arrays, tmp_path):
    assert_same_fit(expected, SemiNTF(K, **SETTINGS).fit(files, checkpoint=tmp_path, checkpoint_every=3))
    seen = []
    model = SemiNTF(K, **SETTINGS, verbose=lambda stage, done, total: seen.append((stage, done)))
    assert_same_fit(expected, model.fit(arrays, checkpoint=tmp_path, checkpoint_every=3))
    assert [done for stage, done in seen if stage == "factorization" and done] == [4]


def test_bad_numbers_are_named_with_view_and_row(client, arrays):
    spoilt = arrays[1].copy()
    spoilt[333, 2] = np.inf
    with pytest.raises(ValueError, match=r"View 'text' contains NaN or infinity, first in row 333\."):
        SemiNTF(K, **SETTINGS).fit({"image": arrays[0], "text": da.from_array(spoilt, chunks=(50, 9))})


def test_dask_input_without_a_cluster_is_one_clear_error(arrays):
    with pytest.raises(ValueError, match=r"start a distributed\.Client first"):
        SemiNTF(K, **SETTINGS).fit([da.from_array(array) for array in arrays])
    with pytest.raises(ValueError, match="use engine='dask'"):
        SemiNTF(K, **SETTINGS, engine="disk").fit([da.from_array(array) for array in arrays])


@pytest.fixture
def own_scheduler(tmp_path):
    """A scheduler and a worker in processes of their own, so that the scheduler can be lost."""
    file = tmp_path / "scheduler.json"
    options = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)]
    programs = (["scheduler", "--port", "0"], ["worker", "--nthreads", "1", "--no-nanny"])
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "dask", *program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for program in programs
    ]
    deadline = time.monotonic() + 60
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    yield file, processes[0]
    for process in processes:
        process.kill()
        process.wait()


def test_a_lost_scheduler_is_one_clear_error(own_scheduler, expected, files, arrays, tmp_path):
    file, scheduler = own_scheduler

    def lose(stage, done, total):
        if (stage, done) == ("factorization", 2):
            scheduler.kill()
            scheduler.wait()

    with distributed.Client(scheduler_file=str(file), timeout=3) as client:  # so long it tries to come back
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(RuntimeError, match="The Dask scheduler was lost"):
            SemiNTF(K, **SETTINGS, verbose=lose).fit(files, checkpoint=tmp_path / "kept", checkpoint_every=1)
    seen = []
    model = SemiNTF(K, **SETTINGS, verbose=lambda stage, done, total: seen.append((stage, done)))
    assert_same_fit(expected, model.fit(arrays, checkpoint=tmp_path / "kept", checkpoint_every=1))
    assert [done for stage, done in seen if stage == "factorization" and done] == [3, 4]
