import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from manyview.engine import MemoryEngine
from manyview.geometry import scaling as module
from manyview.geometry.fit import fit_geometry
from manyview.geometry.scaling import PartiallyWhitened, Unchanged, partially_whitened
from manyview.views.blocks import RowBlock, some_rows

from oracles.whitening_oracle import distances, whitened_scores


def tables(n=60, d=5, seed=0):
    """A view whose first two columns nearly repeat each other."""
    x = np.random.default_rng(seed).standard_normal((n, d)) * np.arange(1, d + 1)
    x[:, 1] = x[:, 0] + 0.1 * x[:, 1]
    return x + 3


def fitted(x, block_rows=17, kinds=("measurements",), seed=0):
    engine = MemoryEngine(n_jobs=1, block_rows=block_rows)
    rows = engine.partition(lambda start, stop: RowBlock(start, (x[start:stop],)), x.shape[0])
    with engine.running():
        ((scaling,),) = partially_whitened(((Unchanged(),),), kinds, rows, engine, n_rows=x.shape[0], seed=seed)
    return scaling


@settings(deadline=None, max_examples=25)
@given(st.integers(8, 60), st.integers(2, 6), st.integers(0, 1000), st.integers(1, 40))
def test_scores_are_the_equation_for_any_blocks(n, d, seed, block_rows):
    x = tables(n, d, seed)
    z = fitted(x, block_rows)(x)
    assert_allclose(distances(z), distances(whitened_scores(x)), rtol=1e-6, atol=1e-8)


def test_a_wide_view_is_measured_without_its_products(monkeypatch):
    x = tables(50, 6)
    formed = fitted(x)
    monkeypatch.setattr(module, "MAX_PRODUCT_WIDTH", 3)
    assert_allclose(distances(fitted(x)(x)), distances(formed(x)), rtol=1e-8)


def test_only_sampled_rows_are_measured(monkeypatch):
    x = np.vstack([tables(40), tables(40, seed=1)])
    monkeypatch.setattr(module, "SAMPLED_ROWS", 30)
    some = some_rows(80, 30, seed=3)
    z, expected = fitted(x, seed=3)(x[some]), whitened_scores(x[some])
    assert_allclose(distances(z), distances(expected), rtol=1e-6)


def test_at_most_sixty_scores_are_kept():
    x = np.random.default_rng(0).standard_normal((100, 80))
    assert fitted(x)(x).shape == (100, module.RANK)


def test_a_sparse_view_that_is_not_words_gives_the_same():
    x = tables() - 3
    assert_allclose(distances(fitted(sp.csr_array(x))(sp.csr_array(x))), distances(fitted(x)(x)), rtol=1e-8)


def test_words_are_not_whitened():
    x = tables()
    assert_allclose((fitted(x, kinds=("principal scores",))(x) ** 2).sum(axis=1), 1)
    assert isinstance(fitted(x, kinds=("sparse counts",)), Unchanged)


@pytest.mark.parametrize("x", [np.ones((30, 3)), np.zeros((30, 0))], ids=["constant", "no columns"])
def test_nothing_to_temper_leaves_the_scaling(x):
    assert isinstance(fitted(x), Unchanged)


def test_only_automatic_geometry_whitens(cut):
    x = tables()
    rows, engine = cut([x, x**2])
    assert all(isinstance(s, PartiallyWhitened) for of_view in fit_geometry(rows, engine).scalings for s in of_view)
    plain = fit_geometry(rows, engine, scale="standard").scalings
    assert not any(isinstance(s, PartiallyWhitened) for of_view in plain for s in of_view)
