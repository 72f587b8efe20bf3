import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from manyview.geometry.statistics import column_statistics
from manyview.geometry.text import WordWeights, principal_scores
from manyview.views.blocks import RowBlock, some_rows

N = 80


@pytest.fixture
def words():
    """Counts from three topics, in two tables of one corpus, with an empty document."""
    rng = np.random.default_rng(0)
    topic = np.arange(N) % 3
    rates = np.where(rng.random((3, 40)) < 0.15, 2.0, 0.02)[topic]
    counts = rng.poisson(rates).astype(float)
    counts[5] = 0
    return counts[:, :25], counts[:, 25:]


def weighted(counts):
    """phi, written out."""
    phi = np.zeros(counts.shape)
    idf = [np.log((1 + len(counts)) / (1 + (column != 0).sum())) + 1 for column in counts.T]
    for i, row in enumerate(counts):
        w = [np.sign(x) * np.sqrt(abs(x)) * idf[j] for j, x in enumerate(row)]
        length = sum(value**2 for value in w) ** 0.5
        phi[i] = [value / length if length else 0 for value in w]
    return phi


def fit(cut, tables, views, rank=6, block_rows=17, **options):
    rows, engine = cut(tables, block_rows)
    columns = column_statistics(rows, engine)
    non_zeros = np.concatenate([columns[v].non_zeros for v in views])
    scores = principal_scores({views: non_zeros}, rows, engine, tables[0].shape[0], rank=rank, **{"seed": 0} | options)[
        views
    ]
    return scores, engine.collect(scores, rows)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_words_are_damped_weighted_and_scaled_to_unit_rows(words, make):
    counts = words[0] * np.where(np.arange(25) % 4, 1, -1)  # signs are kept
    idf = np.log((1 + N) / (1 + (counts != 0).sum(axis=0))) + 1
    table = make(counts)
    phi = WordWeights((0,), idf)(RowBlock(0, (table,)))
    assert sp.issparse(phi)
    assert_allclose(phi.toarray(), weighted(counts), atol=1e-12)
    assert_array_equal(table.toarray() if sp.issparse(table) else table, counts)


def test_several_tables_count_as_one_document(words):
    counts = np.hstack(words)
    idf = np.log((1 + N) / (1 + (counts != 0).sum(axis=0))) + 1
    phi = WordWeights((0, 2), idf)(RowBlock(0, (words[0], np.ones((N, 3)), sp.csr_array(words[1]))))
    assert_allclose(phi.toarray(), weighted(counts), atol=1e-12)


def test_scores_are_principal_components(cut, words):
    scores, x = fit(cut, words, (0, 1), rank=2)  # three topics span two directions
    phi = weighted(np.hstack(words))
    centered = phi - phi.mean(axis=0)
    U, s, _ = np.linalg.svd(centered, full_matrices=False)
    expected = U[:, :2] * s[:2]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert scores.components.shape == (40, 2)
    signs = np.sign((x * expected).sum(axis=0))
    assert_allclose(x, expected * signs, atol=1e-4)  # power iterations: not to the last digit


def test_scores_have_unit_rows_and_orthonormal_components(cut, words):
    scores, x = fit(cut, words, (0,))
    assert_allclose(np.linalg.norm(x, axis=1), 1, rtol=1e-12)
    assert_allclose(scores.components.T @ scores.components, np.eye(6), atol=1e-12)


@pytest.mark.parametrize("block_rows", [1, 33, N])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_blocks_of_any_size_and_kind_give_the_same_scores(cut, words, make, block_rows):
    _, expected = fit(cut, words, (0, 1), rank=3)
    _, x = fit(cut, [make(table) for table in words], (0, 1), rank=3, block_rows=block_rows)
    assert_allclose(x, expected, atol=1e-8)


def test_fewer_scores_are_the_first_of_them(cut, words):
    scores, _ = fit(cut, words, (0,))
    few = scores.first(2)
    block = RowBlock(0, words)
    raw = scores.words(block) @ scores.components - scores.shift
    assert_allclose(few(block), raw[:, :2] / np.linalg.norm(raw[:, :2], axis=1, keepdims=True), atol=1e-12)
    assert scores.first(99).components.shape == (25, 6)


@pytest.mark.parametrize("shape, rank", [((N, 4), 3), ((6, 25), 4), ((2, 25), 1), ((3, 2), 1)])
def test_no_more_scores_than_the_table_allows(cut, shape, rank):
    counts = np.random.default_rng(0).poisson(1.0, shape).astype(float)
    scores, x = fit(cut, [counts], (0,), rank=30)
    assert scores.components.shape == (shape[1], rank)
    assert np.isfinite(x).all()


def test_an_empty_corpus_has_scores_of_zero(cut):
    _, x = fit(cut, [sp.csr_array((N, 10))], (0,), n_sampled_rows=20)
    assert_array_equal(x, 0)


def test_the_same_seed_gives_the_same_bits(cut, words):
    assert_array_equal(fit(cut, words, (0, 1))[1], fit(cut, words, (0, 1))[1])


# many rows: a sample, and products with rows instead of words


@pytest.mark.parametrize("dtype, atol", [("float64", 1e-6), ("float32", 1e-4)])
def test_components_from_few_rows(cut, words, dtype, atol):
    rows, engine = cut([np.hstack(words)])
    non_zeros = (np.hstack(words) != 0).sum(axis=0)
    scores = principal_scores({(0,): non_zeros}, rows, engine, N, rank=2, seed=0, dtype=dtype, n_sampled_rows=N - 1)[0,]
    sample = some_rows(N, N - 1, seed=0)
    phi = weighted(np.hstack(words))[sample]  # its idf is over all rows, as it should be
    _, _, Vt = np.linalg.svd(phi - phi.mean(axis=0), full_matrices=False)
    assert scores.components.dtype == scores.shift.dtype == scores.words.idf.dtype == dtype
    assert_allclose(np.abs((scores.components * Vt[:2].T).sum(axis=0)), 1, atol=atol)
    assert_allclose(scores.shift, phi.mean(axis=0) @ scores.components, atol=atol)


def test_kinds_of_documents_are_fitted_side_by_side(cut, words):
    rows, engine = cut(words)
    columns = column_statistics(rows, engine)
    documents = {(0,): columns[0].non_zeros, (0, 1): np.concatenate([c.non_zeros for c in columns])}
    both = principal_scores(documents, rows, engine, N, rank=3, seed=0, n_sampled_rows=50)
    for views, non_zeros in documents.items():
        alone = principal_scores({views: non_zeros}, rows, engine, N, rank=3, seed=0, n_sampled_rows=50)[views]
        assert_array_equal(both[views].components, alone.components)
    assert principal_scores({}, rows, engine, N, rank=3, seed=0, n_sampled_rows=50) == {}


def test_a_sample_without_any_words_has_scores_of_zero(cut):
    _, x = fit(cut, [sp.csr_array((N, 10))], (0,), n_sampled_rows=20)
    assert_array_equal(x, 0)


def test_raw_scores_of_a_higher_rank_serve_a_lower_one(cut, words):
    scores, x = fit(cut, words, (0,))
    block = RowBlock(0, words)
    assert_array_equal(scores.first(2).of_raw(scores.raw(block)), scores.first(2)(block))
    assert_allclose(scores.of_raw(scores.raw(block)), x, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("filled", [0, 1, 3])
def test_nearly_empty_table_of_many_rows_has_finite_scores(cut, dtype, filled):
    counts = np.zeros((N, 12))
    counts[np.arange(filled) * 3, np.arange(filled)] = 1
    rows, engine = cut([sp.csr_array(counts)])
    non_zeros = column_statistics(rows, engine)[0].non_zeros
    scores = principal_scores({(0,): non_zeros}, rows, engine, N, rank=4, seed=0, dtype=dtype, n_sampled_rows=40)[0,]
    table = engine.collect(scores, rows)
    assert table.dtype == dtype
    assert np.isfinite(table).all()
