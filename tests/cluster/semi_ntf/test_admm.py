"""The one-pass loop against the general one, which shares none of its steps."""

import numpy as np
import pytest
from manyview.cluster.semi_ntf.shared import SharedBlock, _together, factorize_shared, shared_block
from manyview.kernels.sweep import TILE
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.semi_ntf import admm, shared
from manyview.cluster.semi_ntf.admm import Options, factorize, first_block
from manyview.engine import DiskEngine, MemoryEngine, edges
from manyview.kernels.tproduct import view_transform

N, R, K = 210, 7, 3


def options(**changes):
    chosen = {"mu": 1.0, "rho": 1.0, "eta": 1.15, "max_iter": 60, "tol": 1e-3} | changes
    return Options(transform=view_transform("identity", 1), coupling=None, **chosen)


def start(dtype=np.float64, block_rows=64, empty=False):
    """Rows around K directions, with a third of the labels wrong."""
    rng = np.random.default_rng(0)
    labels = np.arange(N) % K
    S = np.eye(K, R)[labels] + 0.4 * rng.standard_normal((N, R))
    S *= np.sqrt(K / N) / np.linalg.norm(S, axis=1, keepdims=True)
    first = np.where(rng.random(N) < 0.3, rng.integers(0, K, N), labels)
    first[first == 0] = 1 if empty else 0
    Q = np.eye(K)[first]
    Q = (Q / np.sqrt(np.maximum(Q.sum(axis=0), 1))).astype(dtype)[None]
    return [
        first_block(a, (S[a:b].astype(dtype),), Q[:, a:b], H=Q[:, a:b], coupled=False) for a, b in edges(N, block_rows)
    ]


def shared_start(*args, **changes):
    return [shared_block(block.start, block.S[0], block.H[0]) for block in start(*args, **changes)]


def indicator(result):
    return np.concatenate([block.H[0] for block in result.rows])


@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-10), (np.float32, 1e-4)])
def test_iterations_are_those_of_two_passes(dtype, atol):
    engine = MemoryEngine(n_jobs=1)
    expected = factorize(start(dtype), engine, options())
    result = factorize_shared(shared_start(dtype), engine, options())
    assert (result.n_iter, result.converged) == (expected.n_iter, expected.converged)
    assert_allclose(indicator(result), indicator(expected), atol=atol)
    assert_allclose(result.G, expected.G, atol=atol)
    for name, values in expected.history.items():
        assert_allclose(result.history[name], values, rtol=1e-3, atol=atol)


def test_the_largest_penalty_holds_for_both(monkeypatch):
    for module in (admm, shared):
        monkeypatch.setattr(module, "MAX_PENALTY", 3.0)
    engine = MemoryEngine(n_jobs=1)
    expected = factorize(start(), engine, options(tol=0, max_iter=25))
    result = factorize_shared(shared_start(), engine, options(tol=0, max_iter=25))
    assert_array_equal(result.history["mu"], expected.history["mu"])
    assert result.history["mu"][-1] == 3
    assert_allclose(indicator(result), indicator(expected), atol=1e-10)


def test_the_end_is_nonnegative_orthogonal_and_finds_the_clusters():
    result = factorize_shared(shared_start(), MemoryEngine(n_jobs=1), options(tol=1e-6, max_iter=300))
    H = indicator(result)
    assert result.converged
    assert H.min() >= 0
    assert_allclose(H.T @ H, np.eye(K), atol=1e-4)
    assert np.mean(H.argmax(axis=1) == np.arange(N) % K) > 0.9


def test_an_empty_cluster_stays_finite_and_is_orthogonalized_again(monkeypatch):
    passes = []
    engine = MemoryEngine(n_jobs=1)
    reduce = engine.reduce
    monkeypatch.setattr(engine, "reduce", lambda *args: passes.append(1) or reduce(*args))
    monkeypatch.setattr(shared, "TRUSTED_CONDITION", 1e3)
    result = factorize_shared(shared_start(empty=True), engine, options())
    assert passes
    assert np.isfinite(indicator(result)).all()


def test_state_is_one_matrix_a_row_and_blocks_report_their_size():
    result = factorize_shared(shared_start(np.float32), MemoryEngine(n_jobs=1), options(max_iter=2))
    block = result.rows[-1]
    assert isinstance(block, SharedBlock)
    assert (block.U.shape, block.U.dtype, block.n_rows) == ((1, K, TILE), np.float32, N - 192)
    assert block.H.shape == (1, N - 192, K)
    assert_array_equal(block.S[0], start(np.float32)[-1].S[0])


def test_the_number_of_threads_does_not_change_a_bit():
    results = []
    for n_jobs in (1, 3):
        engine = MemoryEngine(n_jobs=n_jobs)
        with engine.running():
            results.append(indicator(factorize_shared(shared_start(block_rows=20), engine, options())))
    assert_array_equal(*results)


def test_blocks_that_were_joined_come_back_one_by_one():
    before = [block._replace(U=block.U.copy()) for block in shared_start(np.float32, block_rows=20)]
    rows = MemoryEngine(n_jobs=1).join(_together, shared_start(np.float32, block_rows=20))
    assert len(rows) == 1
    assert (rows[0].start, sum(block.n_rows for block in rows)) == (0, N)
    assert_array_equal(np.concatenate([block.H[0] for block in rows]), np.concatenate([b.H[0] for b in before]))
    assert_array_equal(np.concatenate([block.S[0] for block in rows]), np.concatenate([b.S[0] for b in before]))
    doubled = [block.with_factors((2 * block.factors[0],)) for block in rows]
    after = MemoryEngine(n_jobs=1).split(SharedBlock.apart, doubled)
    for old, new in zip(before, after, strict=True):
        assert (old.start, old.sizes) == (new.start, new.sizes)
        assert_array_equal(2 * old.U, new.U)
        assert_array_equal(old.tiles, new.tiles)


def test_ill_conditioned_joined_blocks_give_the_bits_of_single_ones(monkeypatch, tmp_path):
    """The second step of the orthogonalizer is a pass too."""
    monkeypatch.setattr(shared, "TRUSTED_CONDITION", 0)
    results = []
    for engine in (MemoryEngine(n_jobs=1), MemoryEngine(n_jobs=2), DiskEngine(n_jobs=1, scratch=tmp_path)):
        with engine.running():
            rows = engine.map(lambda block: block, shared_start(block_rows=20))
            results.append(indicator(factorize_shared(rows, engine, options(max_iter=5))))
    assert_array_equal(results[0], results[1])
    assert_array_equal(results[0], results[2])
