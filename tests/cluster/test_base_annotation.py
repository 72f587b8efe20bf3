"""Results in AnnData and MuData: the right row for every id, and nothing written where ids do not match."""

import anndata
import mudata
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from manyview import LMVSC, AnchorGraphClustering
from manyview.datasets import make_views
from recipes import QUICK

N, K = 90, 3
IDS = [f"cell{i}" for i in range(N)]


@pytest.fixture(scope="module")
def tables():
    data = make_views(N, K, widths=(5, 8), random_state=0)
    return {
        name: pd.DataFrame(view, IDS, [f"{name} {j}" for j in range(view.shape[1])])
        for name, view in data.views.items()
    }


@pytest.fixture(scope="module")
def model(tables):
    return AnchorGraphClustering(K, recipe=QUICK, random_state=0).fit(tables)


def annotated(ids):
    return anndata.AnnData(np.zeros((len(ids), 2), dtype=np.float32), obs=pd.DataFrame(index=ids))


def test_rows_are_matched_by_id(model):
    order = np.random.default_rng(0).permutation(N)
    data = annotated([IDS[i] for i in order])
    assert model.annotate(data) is data
    assert data.obs["manyview"].dtype == "category"
    assert list(data.obs["manyview"].cat.categories) == ["0", "1", "2"]
    assert_array_equal(data.obs["manyview"].astype(int), model.labels_[order])
    assert_array_equal(data.obs["manyview_confidence"], model.confidence_[order])
    assert_array_equal(data.obsm["X_manyview"], model.embedding_[order])


def test_mudata_with_a_key_of_its_own(tables):
    with mudata.set_options(pull_on_update=False):
        data = mudata.MuData({name: anndata.AnnData(table.astype(np.float32)) for name, table in tables.items()})
    fitted = AnchorGraphClustering(K, recipe=QUICK, random_state=0).fit(data)
    assert fitted.annotate(data, key="group") is data
    assert_array_equal(data.obs["group"].astype(int), fitted.labels_)
    assert data.obsm["X_group"].shape == fitted.embedding_.shape
    assert "manyview" not in data.obs


def test_outliers_and_more_than_ten_clusters_are_categories_in_order(model):
    labels = model.labels_.copy()
    labels[:3] = -1, 10, 9
    other = AnchorGraphClustering(K)
    other.labels_, other.sample_ids_ = labels, model.sample_ids_
    data = other.annotate(annotated(IDS))
    assert list(data.obs["manyview"].cat.categories) == ["-1", "0", "1", "2", "9", "10"]
    assert list(data.obs) == ["manyview"]
    assert not len(data.obsm)


def test_a_baseline_writes_what_it_has(tables):
    data = LMVSC(K, n_anchors=6, random_state=0).fit(tables).annotate(annotated(IDS))
    assert data.obs["manyview"].nunique() == K
    assert "manyview_confidence" not in data.obs


@pytest.mark.parametrize(
    "ids, message",
    [
        ([*IDS[:-2], "new", "other"], r"2 samples of the AnnData are not in the model \('new', 'other'\)"),
        (IDS[:-4], r"4 samples of the model are not in the AnnData \('cell86', 'cell87', 'cell88', …\)"),
    ],
)
def test_ids_that_do_not_match_raise_and_nothing_is_written(model, ids, message):
    data = annotated(ids)
    with pytest.raises(ValueError, match=message):
        model.annotate(data)
    assert not len(data.obs.columns)


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_equal_names_raise(model):
    with pytest.raises(ValueError, match="obs_names of the AnnData are not unique"):
        model.annotate(annotated([*IDS, IDS[0]]))


def test_what_cannot_be_annotated_raises(model, tables):
    with pytest.raises(TypeError, match="into an AnnData or MuData; got a DataFrame"):
        model.annotate(pd.DataFrame(index=IDS))
    with pytest.raises(NotFittedError):
        AnchorGraphClustering(K).annotate(annotated(IDS))
    by_position = AnchorGraphClustering(K, recipe=QUICK, random_state=0).fit([t.to_numpy() for t in tables.values()])
    with pytest.raises(ValueError, match="The model knows no ids"):
        by_position.annotate(annotated(IDS))
