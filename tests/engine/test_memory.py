import threading
import weakref

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_info, threadpool_limits

from manyview.engine import MemoryEngine, add
from manyview.engine.rows import even_edges

THREADS = pytest.mark.parametrize("n_jobs", [1, 2])
N = 1003


@pytest.fixture(scope="module")
def table():
    """Numbers of very different size: their sum depends on the order of adding."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((N, 7)) * 10.0 ** rng.integers(-8, 8, (N, 1))


def blocks(engine, table):
    return engine.partition(lambda start, stop: table[start:stop], len(table))


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def in_both(run, block_rows=100):
    """What ``run(engine)`` gives with one and with two threads."""
    results = []
    for n_jobs in (1, 2):
        with MemoryEngine(n_jobs=n_jobs, block_rows=block_rows).running() as engine:
            results.append(run(engine))
    return results


def test_one_and_two_threads_give_the_same_bits(table):
    def gram(engine):
        return engine.reduce(lambda x: (x.T @ x, x.sum()), blocks(engine, table), add)

    (first, first_sum), (second, second_sum) = in_both(gram)
    assert_array_equal(first, second)
    assert first_sum == second_sum


def test_results_are_added_in_one_tree_over_the_order_of_the_blocks(table):
    a, b, c, d, e, f, g, h, i, j, k, m = (table[start:stop].sum() for start, stop in even_edges(N, 100))
    expected = (((a + b) + (c + d)) + ((e + f) + (g + h))) + ((i + j) + (k + m))
    assert sum([a, b, c, d, e, f, g, h, i, j, k, m]) != expected  # the order can be seen
    for total in in_both(lambda engine: engine.reduce(np.sum, blocks(engine, table), add)):
        assert total == expected


def test_a_block_that_finishes_late_keeps_its_place():
    second_is_done = threading.Event()

    def slow_first(block):
        if block == 0:
            assert second_is_done.wait(timeout=20)
        if block == 1:
            second_is_done.set()
        return [block]

    with MemoryEngine(n_jobs=2, block_rows=1).running() as engine:
        rows = engine.partition(lambda start, stop: start, 5)
        assert engine.reduce(slow_first, rows, add) == [0, 1, 2, 3, 4]


def test_two_threads_work_at_the_same_time():
    meeting = threading.Barrier(2)
    with MemoryEngine(n_jobs=2, block_rows=1).running() as engine:
        names = engine.map(lambda block: (meeting.wait(timeout=20), threading.get_ident())[1], [0, 1])
    assert len(set(names)) == 2


@THREADS
@pytest.mark.parametrize("block_rows", [1, 334, 335, N - 1, N, N + 1])
def test_blocks_of_any_size_give_every_row_once(table, block_rows, n_jobs):
    with MemoryEngine(n_jobs=n_jobs, block_rows=block_rows).running() as engine:
        rows = blocks(engine, table)
        assert len(rows) == len(even_edges(N, block_rows))
        assert_array_equal(engine.collect(lambda x: 2 * x, rows), 2 * table)
        assert engine.reduce(len, rows, add) == N


@THREADS
def test_sparse_blocks_are_collected_as_one_csr_matrix(table, n_jobs):
    with MemoryEngine(n_jobs=n_jobs, block_rows=100).running() as engine:
        together = engine.collect(sp.csr_array, blocks(engine, table))
    assert together.format == "csr"
    assert_array_equal(together.toarray(), table)


@THREADS
def test_a_step_renews_the_blocks_and_combines_what_they_report(table, n_jobs):
    with MemoryEngine(n_jobs=n_jobs, block_rows=100).running() as engine:
        rows, largest = engine.step(lambda x: (x + 1, float(x.max())), blocks(engine, table), max)
        assert_array_equal(engine.collect(lambda x: x, rows), table + 1)
    assert largest == table.max()


@THREADS
def test_pairs_are_blocks_over_the_same_rows(table, n_jobs):
    with MemoryEngine(n_jobs=n_jobs, block_rows=100).running() as engine:
        rows = blocks(engine, table)
        doubled = engine.map(lambda x: 2 * x, rows)
        pairs = engine.zip(rows, doubled)
        assert engine.reduce(lambda pair: np.abs(2 * pair[0] - pair[1]).max(), pairs, max) == 0
        with pytest.raises(ValueError, match="shorter"):
            engine.zip(rows, doubled[:-1])


@THREADS
def test_an_exception_in_a_block_reaches_the_caller_and_the_engine_survives(n_jobs):
    def fail_in_the_third(block):
        if block == 2:
            raise ArithmeticError("block 2 went wrong")
        return block

    with MemoryEngine(n_jobs=n_jobs, block_rows=1).running() as engine:
        rows = engine.partition(lambda start, stop: start, 6)
        for run in (engine.map, engine.collect):
            with pytest.raises(ArithmeticError, match="block 2 went wrong"):
                run(fail_in_the_third, rows)
        with pytest.raises(ArithmeticError, match="block 2 went wrong"):
            engine.reduce(fail_in_the_third, rows, add)
        assert engine.reduce(lambda block: block, rows, add) == 15


def test_blas_keeps_to_one_thread_inside_and_is_given_back_after(table):
    if not blas_threads():
        pytest.skip("no BLAS here whose threads can be counted")
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with MemoryEngine(n_jobs=2, block_rows=100).running() as engine:
            assert blas_threads() == {1}
            assert engine.map(lambda x: blas_threads(), blocks(engine, table)) == [{1}] * 12
        assert blas_threads() == before
        with pytest.raises(KeyError), MemoryEngine(n_jobs=2).running():
            raise KeyError
        assert blas_threads() == before
    assert before == {2}


def test_no_thread_is_left_behind():
    before = threading.active_count()
    with MemoryEngine(n_jobs=2, block_rows=1).running() as engine:
        engine.map(abs, [1, 2, 3])
    assert threading.active_count() == before


@pytest.mark.parametrize("n_jobs, threads", [(1, 1), (2, 2), (3, 3)])
def test_number_of_threads(n_jobs, threads):
    assert MemoryEngine(n_jobs=n_jobs).threads == threads


def test_threads_follow_joblib():
    assert MemoryEngine().threads == 1
    with joblib.parallel_config(n_jobs=3):
        assert MemoryEngine().threads == 3
        assert MemoryEngine(n_jobs=2).threads == 2
    assert MemoryEngine(n_jobs=-1).threads == joblib.cpu_count()


@THREADS
def test_a_step_gives_up_the_old_blocks_as_it_goes(n_jobs):
    rows = [np.full(5, float(i)) for i in range(100)]
    known = [weakref.ref(block) for block in rows]
    alive = []

    def renew(block):
        alive.append(sum(ref() is not None for ref in known))
        return block + 1, float(block[0])

    with MemoryEngine(n_jobs=n_jobs).running() as engine:
        new, total = engine.step(renew, rows, add)
    assert rows == []
    assert alive[0] == 100
    assert alive[-1] <= 2  # those in work
    assert total == sum(range(100))
    assert [block[0] for block in new] == list(range(1, 101))


@THREADS
def test_an_exception_in_a_step_waits_for_the_other_threads(n_jobs):
    running = []

    def fail_in_the_first(block):
        if block == 0:
            raise ArithmeticError("block 0 went wrong")
        running.append(block)
        return block, block

    with MemoryEngine(n_jobs=n_jobs).running() as engine:
        with pytest.raises(ArithmeticError, match="block 0 went wrong"):
            engine.step(fail_in_the_first, list(range(50)), add)
        seen = len(running)
        assert engine.step(lambda block: (block, block), [1, 2, 3], add) == ([1, 2, 3], 6)
        assert len(running) == seen
