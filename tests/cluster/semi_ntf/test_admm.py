"""The loop of the factorization without a coupling, against the same steps on dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview.cluster.semi_ntf.admm import Options, factorize, first_block
from manyview.engine import DiskEngine, MemoryEngine, edges
from manyview.kernels.tproduct import view_transform

N, R, K = 210, 7, 3


def options(**changes):
    chosen = {"mu": 1.0, "rho": 1.0, "eta": 1.15, "max_iter": 60, "tol": 1e-3} | changes
    return Options(transform=view_transform("identity", 1), coupling=None, **chosen)


def dense_start(*, empty=False):
    """Rows around K directions, and labels of which a third is wrong."""
    rng = np.random.default_rng(0)
    labels = np.arange(N) % K
    S = np.eye(K, R)[labels] + 0.4 * rng.standard_normal((N, R))
    S *= np.sqrt(K / N) / np.linalg.norm(S, axis=1, keepdims=True)
    first = np.where(rng.random(N) < 0.3, rng.integers(0, K, N), labels)
    first[first == 0] = 1 if empty else 0
    Q = np.eye(K)[first]
    return S, Q / np.sqrt(np.maximum(Q.sum(axis=0), 1))


def start(dtype=np.float64, block_rows=64, empty=False):
    S, Q = dense_start(empty=empty)
    S, Q = S.astype(dtype), Q.astype(dtype)[None]
    return [first_block(a, (S[a:b],), Q[:, a:b], H=Q[:, a:b], coupled=False) for a, b in edges(N, block_rows)]


def indicator(result):
    return np.concatenate([block.H[0] for block in result.rows])


def dense_loop(n_iter, *, largest=1e13):
    """The equations of admm.py as they stand, on whole matrices with a singular value decomposition."""
    S, Q = dense_start()
    H, Y, mu, losses, residuals = Q, np.zeros_like(Q), 1.0, [], []
    for _ in range(n_iter):
        U, _, Vt = np.linalg.svd(2 * S @ (S.T @ Q) + mu * H + Y, full_matrices=False)
        Q = U @ Vt
        H = np.maximum(Q - Y / mu, 0)
        Y = Y + mu * (H - Q)
        mu = min(1.15 * mu, largest)
        losses.append(np.linalg.norm(S - Q @ (Q.T @ S)) ** 2)
        residuals.append(np.abs(H - Q).max())
    return H, losses, residuals


@pytest.mark.parametrize("dtype, atol", [(np.float64, 1e-10), (np.float32, 1e-4)])
def test_iterations_match_dense_loop(dtype, atol):
    result = factorize(start(dtype), MemoryEngine(n_jobs=1), options(tol=0, max_iter=15))
    H, losses, residuals = dense_loop(15)
    assert_allclose(indicator(result), H, atol=atol)
    assert_allclose(result.history["objective"], losses, rtol=1e-4)
    assert_allclose(result.history["residual_HQ"], residuals, rtol=1e-3, atol=atol)


def test_penalty_has_a_limit():
    result = factorize(start(), MemoryEngine(n_jobs=1), options(tol=0, max_iter=15)._replace(max_penalty=3.0))
    assert_allclose(result.history["mu"], np.minimum(1.15 ** np.arange(15), 3.0))
    assert_allclose(indicator(result), dense_loop(15, largest=3.0)[0], atol=1e-10)


def test_converged_factor_is_nonnegative_orthogonal_and_finds_clusters():
    result = factorize(start(), MemoryEngine(n_jobs=1), options(tol=1e-6, max_iter=300))
    H = indicator(result)
    assert result.converged
    assert H.min() >= 0
    assert_allclose(H.T @ H, np.eye(K), atol=1e-4)
    assert np.mean(H.argmax(axis=1) == np.arange(N) % K) > 0.9


def test_loop_stops_at_the_first_small_residual():
    result = factorize(start(), MemoryEngine(n_jobs=1), options(tol=1e-2, max_iter=300))
    limit = 1e-2 * np.sqrt(K / N)
    residuals = np.array(result.history["residual_HQ"])
    assert residuals[-1] <= limit
    assert (residuals[:-1] > limit).all()
    assert result.n_iter == len(residuals)


def test_empty_cluster_stays_finite_and_is_orthogonalized_twice(monkeypatch):
    steps = []
    engine = MemoryEngine(n_jobs=1)
    step = engine.step
    monkeypatch.setattr(engine, "step", lambda *args: steps.append(1) or step(*args))
    result = factorize(start(empty=True), engine, options(tol=0, max_iter=10)._replace(max_condition=1e3))
    assert len(steps) > 2 * 10
    assert np.isfinite(indicator(result)).all()


def test_second_orthogonalization_changes_little():
    once = factorize(start(), MemoryEngine(n_jobs=1), options(max_iter=5))
    twice = factorize(start(), MemoryEngine(n_jobs=1), options(max_iter=5)._replace(max_condition=0))
    assert_allclose(indicator(twice), indicator(once), atol=1e-8)


def test_engines_and_threads_give_the_same_bits(tmp_path):
    results = []
    for engine in (MemoryEngine(n_jobs=1), MemoryEngine(n_jobs=3), DiskEngine(n_jobs=1, scratch=tmp_path)):
        with engine.running():
            rows = engine.map(lambda block: block, start(block_rows=20))
            results.append(indicator(factorize(rows, engine, options(max_iter=5))))
    assert_array_equal(results[0], results[1])
    assert_array_equal(results[0], results[2])


def test_progress_counts_iterations():
    seen = []
    factorize(start(), MemoryEngine(n_jobs=1), options(tol=0, max_iter=4), progress=seen.append)
    assert seen == [1, 2, 3, 4]
