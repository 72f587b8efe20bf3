"""The sample-graph baselines against what their authors' programs returned, from the same starts, in file order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from manyview import AMGL, GMC, MVGL, SMSC
from manyview.metrics import adjusted_rand_index

pytestmark = [
    pytest.mark.shared,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture
def reference(shared_dir, shared_views):
    """Views, number of classes, and the labels and numbers that a program of the reference left."""

    def load(name, data, seed=0):
        views, labels = shared_views(data, order="stored")
        folder = shared_dir / "reference"
        theirs = np.loadtxt(folder / "labels" / f"{name}__{data}__seed{seed}.csv", dtype=int)
        with np.load(folder / "aux" / f"{name}__{data}__seed{seed}.npz") as saved:
            return views, int(labels.max()) + 1, theirs, dict(saved)

    return load


@pytest.mark.parametrize("data", ["tcga_breast", "msrcv1_5", "3sources", "bbcsport"])
def test_gmc_equals_the_reference(reference, data):
    views, K, theirs, saved = reference("GMC", data)
    model = GMC(K).fit(views)
    assert adjusted_rand_index(theirs, model.labels_) >= 0.98
    assert model.n_iter_ == int(saved["iters"])
    if data in ("tcga_breast", "msrcv1_5"):  # word counts have equal distances, whose order decides the last digits
        assert_allclose(model.eigenvalues_, saved["eigenvalues"].ravel(), atol=1e-8)


@pytest.mark.parametrize("name, local", [("MVGL", False), ("MVGL-local1_k15", True)])
def test_mvgl_gives_the_same_partition(reference, name, local):
    views, K, theirs, _ = reference(name, "msrcv1_5")
    assert adjusted_rand_index(theirs, MVGL(K, local=local).fit(views).labels_) >= 0.98


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", ["tcga_breast", "msrcv1_5"])
def test_smsc_equals_the_reference(reference, data, seed):
    views, K, theirs, saved = reference("SMSC", data, seed)
    model = SMSC(K, variant="released", init=saved["F0"]).fit(views)
    assert adjusted_rand_index(theirs, model.labels_) >= 0.98


@pytest.mark.parametrize("data", ["tcga_breast", "msrcv1_5", "bbcsport"])
def test_amgl_has_the_same_objective_weights_and_subspace(reference, data):
    views, K, _, saved = reference("AMGL", data)
    model = AMGL(K, random_state=0).fit(views)
    assert_allclose(model.history_["objective"], saved["obj"].ravel(), rtol=1e-8)
    assert_allclose(model.view_weights_, saved["view_weights"].ravel(), rtol=1e-8)
    F = saved["F"]
    assert_allclose(model.embedding_ @ (model.embedding_.T @ F), F, atol=1e-8)


@pytest.mark.parametrize("data", ["ngs", "webkb203"])
def test_amgl_where_the_reference_divides_by_zero(shared_views, data):
    views, labels = shared_views(data, order="stored")
    K = int(labels.max()) + 1
    assert set(AMGL(K, random_state=0).fit_predict(views)) == set(range(K))
