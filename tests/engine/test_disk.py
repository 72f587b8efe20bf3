import errno
import os
import pickle
import resource
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from manyview.engine import DiskEngine, MemoryEngine, add
from watching import is_mapped

THREADS = pytest.mark.parametrize("n_jobs", [1, 2])
N = 1003


class State(NamedTuple):
    start: int
    fixed: np.ndarray
    graph: sp.csr_array
    moving: np.ndarray


class Maker:
    """Blocks of a table, and how often each was made."""

    def __init__(self, table, slow=False):
        self.table, self.slow, self.made = table, slow, []

    def __call__(self, start, stop):
        self.made.append(start)
        return State(start, self.table[start:stop], sp.csr_array(self.table[start:stop]), self.table[start:stop, :2])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    return rng.standard_normal((N, 7)) * 10.0 ** rng.integers(-8, 8, (N, 1))


def passes(engine, make):
    """A little fit: a map, some steps, a pair, and what comes out of each."""
    with engine.running():
        rows = engine.partition(make, N)
        rows = engine.map(lambda b: b._replace(moving=np.asfortranarray(b.moving * 2)), rows)
        for _ in range(3):
            total = engine.reduce(lambda b: (b.fixed.T @ b.moving, b.graph.sum()), rows, add)
            factor = total[0][:2] / np.abs(total[0]).max()

            def renew(b, factor=factor):
                moving = b.moving @ factor
                return b._replace(moving=moving), float(np.abs(moving).max())

            rows, largest = engine.step(renew, rows, max)
        labels = engine.map(lambda b: b.moving.argmax(axis=1), rows)
        counts = engine.reduce(lambda p: p[0].fixed.T @ np.eye(2)[p[1]], engine.zip(rows, labels), add)
        starts = [block.start for block in rows]
        return (
            engine.collect(lambda b: b.moving, rows),
            engine.collect(lambda b: b.graph, rows).toarray(),
            np.array(engine.persist(lambda b: b.fixed, rows)),
            total[0],
            largest,
            counts,
            starts,
        )


@THREADS
@pytest.mark.parametrize("slow", [False, True])
def test_disk_and_memory_give_the_same_bits(table, tmp_path, n_jobs, slow):
    expected = passes(MemoryEngine(n_jobs=1, block_rows=100), Maker(table))
    found = passes(DiskEngine(n_jobs=n_jobs, block_rows=100, scratch=tmp_path), Maker(table, slow))
    for a, b in zip(expected, found, strict=True):
        assert_array_equal(a, b)


def test_a_slow_source_is_read_once_and_a_fast_one_in_every_pass(table, tmp_path):
    slow, fast = Maker(table, slow=True), Maker(table)
    for make, times in ((slow, 1), (fast, 3)):
        with DiskEngine(n_jobs=1, block_rows=500, scratch=tmp_path).running() as engine:
            rows = engine.partition(make, N)
            for _ in range(3):
                engine.reduce(lambda b: b.fixed.sum(), rows, add)
        assert make.made == [0, 250, 501, 752] * times


def test_nothing_is_left_in_the_scratch_directory(table, tmp_path):
    with DiskEngine(n_jobs=2, block_rows=100, scratch=tmp_path).running() as engine:
        rows = engine.map(lambda b: b.fixed + 1, engine.partition(Maker(table), N))
        assert os.listdir(tmp_path) == []
        with pytest.raises(ZeroDivisionError):
            engine.map(lambda b: 1 // 0, rows)
        assert_array_equal(engine.collect(lambda b: b, rows), table + 1)
    assert os.listdir(tmp_path) == []


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files in /proc")
def test_old_generations_are_given_up(table, tmp_path):
    with DiskEngine(n_jobs=2, block_rows=100, scratch=tmp_path).running() as engine:
        rows = engine.map(lambda b: (b.fixed, b.moving), engine.partition(Maker(table), N))
        before = open_files()
        for _ in range(20):
            rows, _ = engine.step(lambda b: ((b[0], b[1] + 1), 0), rows, add)
        assert open_files() <= before + 1  # the first file still holds what never changed


def test_what_is_only_passed_on_is_not_written_again(table, tmp_path):
    with DiskEngine(n_jobs=1, block_rows=100, scratch=tmp_path).running() as engine:
        first = engine.map(lambda b: b, engine.partition(Maker(table, slow=True), N))
        second, _ = engine.step(lambda b: (b._replace(moving=b.moving + 1), 0), first, add)
        for a, b in zip(first.packed, second.packed, strict=True):
            assert a.fixed is b.fixed
            assert a.graph.parts[0] is b.graph.parts[0]
            assert a.moving is not b.moving


def test_a_function_that_writes_into_its_block_is_told(table, tmp_path):
    def spoil(block):
        block.fixed[0] = 0
        return block

    with DiskEngine(n_jobs=1, block_rows=100, scratch=tmp_path).running() as engine:
        rows = engine.partition(Maker(table, slow=True), N)
        with pytest.raises(ValueError, match="read-only"):
            engine.map(spoil, rows)


def test_few_blocks_are_in_memory(tmp_path):
    """Forty blocks of 4 MB: a pass, a step and an array that is kept need a few of them at a time."""
    block = np.ones((512, 1024))

    def largest_of(run):
        tracemalloc.reset_peak()
        run()
        return tracemalloc.get_traced_memory()[1] / block.nbytes

    with DiskEngine(n_jobs=2, block_rows=512, scratch=tmp_path).running() as engine:
        tracemalloc.start()
        try:
            rows = engine.map(lambda b: block * b, engine.partition(lambda start, stop: start, 40 * 512))
            assert largest_of(lambda: engine.reduce(lambda b: b.sum(), rows, add)) < 5
            assert largest_of(lambda: engine.step(lambda b: (b + 1, 0), rows, add)) < 10
            assert largest_of(lambda: engine.persist(lambda b: b, rows)) < 14
        finally:
            tracemalloc.stop()


def test_persisted_arrays_outlive_the_engine(table, tmp_path):
    with DiskEngine(n_jobs=2, block_rows=100, scratch=tmp_path).running() as engine:
        kept = engine.persist(lambda b: b.fixed, engine.partition(Maker(table), N))
    assert is_mapped(kept)
    assert_array_equal(kept, table)
    assert not kept.flags.writeable
    assert_array_equal(pickle.loads(pickle.dumps(kept)), table)
    assert list(tmp_path.iterdir()) == []


def test_small_lists_stay_in_memory(tmp_path):
    with DiskEngine(n_jobs=2, scratch=tmp_path).running() as engine:
        assert engine.map(abs, [-1, 2]) == [1, 2]
        assert engine.reduce(abs, [-1, 2], add) == 3
        assert engine.zip([1], [2]) == [(1, 2)]
        assert engine.step(lambda x: (x, x), [1, 2], add) == ([1, 2], 3)
        assert_array_equal(engine.collect(np.atleast_1d, [1, 2]), [1, 2])
        assert_array_equal(engine.persist(np.atleast_1d, [1, 2]), [1, 2])


def test_objects_are_refused(tmp_path):
    with DiskEngine(n_jobs=1, block_rows=1, scratch=tmp_path).running() as engine:
        rows = engine.partition(lambda start, stop: start, 2)
        with pytest.raises(TypeError, match="Python objects"):
            engine.map(lambda b: np.array(["a", None], dtype=object), rows)


@pytest.fixture
def small_files():
    """No file of this process may grow beyond 10 kB, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_clear_error(table, tmp_path, small_files):
    with DiskEngine(n_jobs=2, block_rows=100, scratch=tmp_path).running() as engine:
        rows = engine.partition(Maker(table), N)
        with pytest.raises(OSError, match=r"No room for row blocks in .*scratch=") as caught:
            engine.map(lambda b: b.fixed, rows)
    assert caught.value.errno == errno.EFBIG
