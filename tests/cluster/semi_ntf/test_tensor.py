"""The tensor that is factorized: one slice of the embedding, or one normalized anchor graph per slice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from manyview import SemiNTF
from manyview.cluster.semi_ntf.settings import resolve_factors
from manyview.cluster.semi_ntf.tensor import find_start, graph_tensor, shared_tensor
from manyview.kernels.tproduct import to_frequencies, view_transform

N, K = 150, 3


def dense(rows, index=0):
    tables = [block.S[index] for block in rows]
    return np.vstack([table if isinstance(table, np.ndarray) else table.toarray() for table in tables])


def factor(rows, name):
    return np.concatenate([getattr(block, name) for block in rows], axis=1)


def graph_rows(prepared, model, start="consensus"):
    context, found = prepared
    first = find_start(start, found.labels, found.embedded, context)
    return list(graph_tensor(found.embedded, first, resolve_factors(model, N, K), context))


def test_shared_tensor_has_rows_of_the_consensus_embedding(prepared):
    context, found = prepared
    start = find_start("consensus", found.labels, found.embedded, context)
    rows = list(shared_tensor(found.embedded, found.scale, start, context))
    S = dense(rows)
    assert S.shape == (N, len(found.scale))
    assert_allclose((S**2).sum(axis=1), K / N)
    T = np.concatenate(list(found.embedded.T))[:, : len(found.scale)] * found.scale
    assert_allclose((S * T).sum(axis=1), np.linalg.norm(S, axis=1) * np.linalg.norm(T, axis=1))
    assert_array_equal(factor(rows, "Q")[0], np.concatenate(list(start.Q)))
    assert_array_equal(factor(rows, "H"), factor(rows, "Q"))
    assert [block.J.size for block in rows] == [0] * len(rows)


def test_shared_tensor_starts_with_nonnegative_factor(prepared):
    context, found = prepared
    start = find_start(np.linspace(-1, 1, N * K).reshape(N, K), found.labels, found.embedded, context)
    rows = list(shared_tensor(found.embedded, found.scale, start, context))
    assert factor(rows, "H").min() == 0
    assert factor(rows, "Q").min() < 0


def test_slices_are_normalized_by_degree_and_weighted(prepared):
    rows = graph_rows(prepared, SemiNTF(K, coupling="clusters"))
    weights = prepared[1].embedded.fusion.weights
    block = next(iter(prepared[1].embedded.graphs))
    assert len(rows[0].S) == len(weights)
    for index, weight in enumerate(weights):
        W = np.vstack([g.slice(index, 30).toarray() for g in prepared[1].embedded.graphs])
        degree = W.sum(axis=0)
        assert_allclose(dense(rows, index), W * np.sqrt(weight / np.where(degree > 0, degree, np.inf)), atol=1e-12)
    assert rows[0].n_rows == block.n_rows


def test_slices_of_the_paper_are_the_graphs(prepared):
    rows = graph_rows(prepared, SemiNTF.paper(K), start=np.arange(N) % K)
    for index in range(len(rows[0].S)):
        assert_allclose(dense(rows, index).sum(axis=1), 1)


def test_every_slice_starts_with_the_labels(prepared):
    rows = graph_rows(prepared, SemiNTF(K, coupling="clusters"))
    H = factor(rows, "H")
    assert (H[0] == H).all()
    assert_allclose(H[0].T @ H[0], np.eye(K), atol=1e-10)
    assert_array_equal(factor(rows, "J"), H)
    assert_array_equal(factor(rows, "Y1"), 0)


@pytest.mark.parametrize("transform", ["dft", "dct", "identity"])
def test_identity_holds_at_every_frequency(prepared, transform):
    model = SemiNTF(K, coupling="views", start="identity", view_transform=transform)
    rows = graph_rows(prepared, model, start="identity")
    Qbar = to_frequencies(view_transform(transform, len(rows[0].S)), factor(rows, "Q"))
    assert_allclose(Qbar, np.broadcast_to(np.eye(N, K), Qbar.shape), atol=1e-12)
    assert_array_equal(factor(rows, "H"), 0)


@pytest.mark.parametrize("transform", ["dft", "dct"])
def test_other_starts_reach_every_frequency(prepared, transform):
    """The same Q in every view would leave nothing but rounding at all frequencies but the first."""
    rows = graph_rows(prepared, SemiNTF(K, coupling="views", view_transform=transform))
    Qbar = to_frequencies(view_transform(transform, len(rows[0].S)), factor(rows, "Q"))
    assert_allclose(np.conj(Qbar.swapaxes(1, 2)) @ Qbar, np.broadcast_to(np.eye(K), (len(Qbar), K, K)), atol=1e-10)
    assert_array_equal(factor(rows, "H"), 0)
