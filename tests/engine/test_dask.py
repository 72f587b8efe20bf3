import os
import signal
import sys
import time
from types import SimpleNamespace

import cloudpickle
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import watching
from manyview.engine import MemoryEngine, add
from manyview.engine.dask import DaskEngine, _bundle_size, memory_of_workers
from manyview.engine.rows import even_edges

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
for module in (sys.modules[__name__], watching):
    cloudpickle.register_pickle_by_value(module)  # the workers cannot import tests

N = 1003


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return rng.standard_normal((N, 7)) * 10.0 ** rng.integers(-8, 8, (N, 1))


def make(table):
    return lambda start, stop: (start, table[start:stop])


def passes(engine, source, iterations=3, pause=0.0):
    """A little fit: a map, steps, pairs, and what comes out of each."""
    with engine.running():
        rows = engine.map(lambda b: (b[0], b[1], np.asfortranarray(b[1][:, :2] * 2)), engine.partition(source, N))
        for _ in range(iterations):
            total = engine.reduce(lambda b: (b[1].T @ b[2], b[2].sum()), rows, add)
            factor = total[0][:2] / np.abs(total[0]).max()

            def renew(b, factor=factor):
                time.sleep(pause)
                return (b[0], b[1], b[2] @ factor), float(np.abs(b[2]).max())

            rows, largest = engine.step(renew, rows, max)
        labels = engine.map(lambda b: b[2].argmax(axis=1), rows)
        twice = engine.zip(engine.zip(rows, labels), labels)
        counts = engine.reduce(lambda p: p[0][0][1].T @ np.eye(2)[p[0][1]] + p[1].sum(), twice, add)
        return (
            engine.collect(lambda b: b[2], rows),
            engine.collect(lambda b: sp.csr_array(b[1]), rows).toarray(),
            np.asarray(engine.persist(lambda b: b[2][:, 0], rows)),
            total[0],
            largest,
            counts,
            [int(p[1].sum()) for p in engine.zip(rows, labels)],
        )


def assert_same(expected, found):
    for a, b in zip(expected, found, strict=True):
        assert_array_equal(a, b)


class Splitter:
    """Makes whole bundles, which the workers cut."""

    def __init__(self, table):
        self.table = table

    def __call__(self, start, stop):
        return start, self.table[start:stop]

    @staticmethod
    def split(block, start, stop):
        return start, block[1][start - block[0] : stop - block[0]]


@pytest.mark.parametrize("block_rows, maker", [(45, Splitter), (100, make), (2000, make)])
def test_a_cluster_and_memory_give_the_same_bits(client, table, block_rows, maker):
    expected = passes(MemoryEngine(n_jobs=2, block_rows=block_rows), maker(table))
    assert_same(expected, passes(DaskEngine(block_rows=block_rows, client=client), maker(table)))
    chunked = da.from_array(table, chunks=(130, 3))
    assert_same(expected, passes(DaskEngine(block_rows=block_rows, client=client), maker(chunked)))


def test_a_killed_worker_does_not_change_the_result(client, table):
    expected = passes(MemoryEngine(n_jobs=1, block_rows=50), make(table), iterations=6)
    engine = DaskEngine(block_rows=50, client=client)
    before = set(client.run(os.getpid).values())
    victim = min(before)
    steps = []
    step = engine.step

    def step_and_kill(function, rows, combine):
        steps.append(1)
        if len(steps) == 4:
            os.kill(victim, signal.SIGKILL)
        return step(function, rows, combine)

    engine.step = step_and_kill
    assert_same(expected, passes(engine, make(table), iterations=6, pause=0.01))
    assert len(steps) == 6
    client.wait_for_workers(3, timeout=60)
    assert victim not in client.run(os.getpid).values()


def test_a_pass_is_one_task_graph(client, table):
    engine = DaskEngine(block_rows=100, client=client)
    rows = engine.partition(make(table), N)
    assert engine.computes == 1
    for run in (
        lambda: engine.map(lambda b: b, rows),
        lambda: engine.reduce(lambda b: b[1].sum(), rows, add),
        lambda: engine.step(lambda b: (b, 1), rows, add),
        lambda: engine.reduce(lambda p: p[0][0], engine.zip(rows, rows), add),
        lambda: engine.collect(lambda b: b[1], rows),
        lambda: engine.persist(lambda b: b[1], rows),
    ):
        before = engine.computes
        run()
        assert engine.computes == before + 1


def test_blocks_stay_on_the_workers(client, table):
    """What comes to this process in a step is what the blocks report, whatever the blocks hold."""
    engine = DaskEngine(block_rows=10, client=client)
    rows = engine.map(lambda b: np.full((200, 1000), float(b[0])), engine.partition(make(table), N))
    rows, total = engine.step(lambda b: (b + 1, b[0, 0]), rows, add)
    assert total == sum(start for start, _ in even_edges(N, 10))
    held = client.run(lambda dask_worker: sum(dask_worker.state.tasks[key].nbytes or 0 for key in dask_worker.data))
    assert sum(held.values()) >= 102 * 200 * 1000 * 8
    assert all(size > 0 for size in held.values())


@pytest.mark.parametrize("n_blocks, n_threads", [(1, 3), (32, 3), (33, 3), (2442, 3), (244_141, 256)])
def test_the_number_of_tasks_follows_the_number_of_threads(n_blocks, n_threads):
    size = _bundle_size(n_blocks, n_threads)
    assert size & (size - 1) == 0
    assert -(-n_blocks // size) <= max(16, 8 * n_threads)
    assert size == 1 or -(-n_blocks // size) > max(8, 4 * n_threads) - 1


def test_an_exception_in_a_block_reaches_the_caller_and_the_engine_survives(client, table):
    def fail(block):
        if block[0] == even_edges(N, 100)[3][0]:
            raise OSError("rows from 250 on went wrong")
        return block[0]

    engine = DaskEngine(block_rows=100, client=client)
    rows = engine.partition(make(table), N)
    with pytest.raises(OSError, match="rows from 250 on went wrong"):
        engine.reduce(fail, rows, add)
    assert engine.reduce(lambda b: 1, rows, add) == 12


def test_small_lists_stay_here(client):
    engine = DaskEngine(client=client)
    with engine.running():
        assert engine.map(abs, [-1, 2]) == [1, 2]
        assert engine.reduce(abs, [-1, 2], add) == 3
        assert engine.zip([1], [2]) == [(1, 2)]
        assert engine.step(lambda x: (x, x), [1, 2], add) == ([1, 2], 3)
        assert_array_equal(engine.collect(np.atleast_1d, [1, 2]), [1, 2])
        assert_array_equal(engine.persist(np.atleast_1d, [1, 2]), [1, 2])
    assert engine.computes == 0


def test_workers_say_how_much_memory_they_may_take(client):
    limits = client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit)
    assert len(limits) == 3
    assert 0 < memory_of_workers() < sum(limits.values()) - 3 * 30_000_000  # what the processes have taken by now


@pytest.mark.parametrize("limits", [{}, {"a": 10**9, "b": None}])
def test_workers_that_are_to_come_or_have_no_limit_say_nothing(monkeypatch, limits):
    monkeypatch.setattr("manyview.engine.dask._active_client", lambda: SimpleNamespace(run=lambda function: limits))
    assert memory_of_workers() is None


def test_without_a_client_the_error_says_so():
    with pytest.raises(ValueError, match=r"start a distributed\.Client first"):
        DaskEngine()


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"needs dask: pip install 'manyview\[distributed\]'"):
        DaskEngine()


def test_blas_keeps_to_one_thread_on_the_workers(client, table):
    engine = DaskEngine(block_rows=100, client=client)
    assert set().union(*engine.map(lambda b: watching.blas_threads(), engine.partition(make(table), N))) <= {1}


def test_everything_is_bound_to_this_machine(client):
    psutil = pytest.importorskip("psutil")
    for process in (os.getpid(), *client.run(os.getpid).values()):
        listening = [c.laddr.ip for c in psutil.Process(process).net_connections() if c.status == "LISTEN"]
        assert set(listening) == {"127.0.0.1"}
