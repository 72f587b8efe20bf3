import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from manyview import LMVSC, Views
from manyview.views import PerView, check_views

N = 24
LABELS = np.repeat([0, 1, 2], N // 3)
IDS = [f"p{i}" for i in range(N)]


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    rna = rng.normal(size=(N, 4)) + 6 * LABELS[:, None]
    text = sp.csr_array(rng.poisson(1 + 4 * (LABELS[:, None] == np.arange(3)), size=(N, 3)).astype(float))
    return {"rna": rna, "text": text, "image": rng.normal(size=(N, 2)) - 8 * LABELS[:, None]}


def pre():
    return PerView({"rna": make_pipeline(StandardScaler(), PCA(2)), "text": TfidfTransformer()})


def test_every_view_has_its_own_transformer(tables):
    made = pre().fit_transform(Views.from_tables(tables))
    assert isinstance(made, Views)
    assert made.names == ("rna", "text", "image")
    assert_allclose(made.tables[0], make_pipeline(StandardScaler(), PCA(2)).fit_transform(tables["rna"]))
    assert_allclose(made.tables[1].toarray(), TfidfTransformer().fit_transform(tables["text"]).toarray())
    assert_array_equal(made.tables[2], tables["image"])


def test_views_are_dropped_or_passed_through(tables):
    assert PerView({"text": "drop"}).fit_transform(tables).names == ("rna", "image")
    kept = PerView({"rna": StandardScaler(), 2: "passthrough"}, remainder="drop").fit(tables)
    assert kept.transform(tables).names == ("rna", "image")


def test_views_are_named_by_position(tables):
    made = PerView({0: StandardScaler(), -1: StandardScaler()}).fit_transform(list(tables.values()))
    assert_allclose(made.tables[0].mean(axis=0), 0, atol=1e-12)
    assert_allclose(made.tables[2].std(axis=0), 1)
    assert made.tables[1].nnz == tables["text"].nnz


def test_new_rows_are_matched_by_name_and_transformed_as_fitted(tables):
    fitted = PerView({"rna": StandardScaler()}).fit(tables)
    new = dict(reversed([(name, table[:3]) for name, table in tables.items()]))
    made = fitted.transform(new)
    assert made.names == ("rna", "text", "image")
    assert_allclose(made.tables[0], StandardScaler().fit(tables["rna"]).transform(tables["rna"][:3]))
    with pytest.raises(ValueError, match="Got 1 views; the model was fitted on 3"):
        fitted.transform([tables["rna"]])


def test_ids_stay_and_frames_arrive_as_frames(tables):
    frame = pd.DataFrame(tables["rna"][:, :2], index=IDS, columns=["a", "b"]).assign(kind=["u", "v"] * (N // 2))
    encode = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(sparse_output=False), ["kind"]))
    order = np.random.default_rng(1).permutation(N)
    image = pd.DataFrame(tables["image"], index=IDS).iloc[order]
    made = PerView({"rna": encode}).fit_transform({"rna": frame, "image": image})
    assert made.ids.tolist() == IDS
    assert made.library == "pandas"
    assert made.columns[0][:3] == ("standardscaler__a", "standardscaler__b", "onehotencoder__kind_u")
    checked = check_views(made)
    assert checked.widths == (4, 2)
    assert_array_equal(checked.tables[1], tables["image"])


def test_pipeline_fits_and_predicts(tables):
    model = Pipeline([("pre", pre()), ("cluster", LMVSC(3, n_anchors=6, random_state=0))]).fit(tables)
    alone = LMVSC(3, n_anchors=6, random_state=0).fit(pre().fit_transform(tables))
    assert_array_equal(model[-1].labels_, alone.labels_)
    assert_array_equal(model.predict(tables), model[-1].labels_)
    assert_array_equal(model.predict(Views.from_tables(tables)[4:9]), model[-1].labels_[4:9])


def test_grid_search_over_a_nested_parameter(tables):
    model = Pipeline([("pre", pre()), ("cluster", LMVSC(3, n_anchors=6, random_state=0))])
    grid = {"pre__rna__pca__n_components": [1, 2]}

    def width(model, X, y=None):
        return model[:-1].transform(X).widths[0]

    search = GridSearchCV(model, grid, cv=KFold(2, shuffle=True, random_state=0), scoring=width)
    search.fit(Views.from_tables(tables))
    assert search.best_params_ == {"pre__rna__pca__n_components": 2}


def test_parameters_are_those_of_the_transformers():
    per_view = pre()
    assert per_view.get_params()["rna__pca__n_components"] == 2
    per_view.set_params(rna__pca__n_components=3, remainder="drop", text=StandardScaler(with_mean=False))
    assert per_view.transformers["rna"][-1].n_components == 3
    assert per_view.remainder == "drop"
    assert isinstance(per_view.transformers["text"], StandardScaler)
    assert per_view.set_params(transformers={0: "drop"}).transformers == {0: "drop"}
    assert set(PerView({0: PCA()}).get_params(deep=False)) == {"transformers", "remainder"}
    assert "0__n_components" in PerView({0: PCA()}).get_params()


def test_clone_shares_no_transformer(tables):
    per_view = pre().fit(tables)
    copy = clone(per_view)
    assert not hasattr(copy, "transformers_")
    copy.set_params(rna__pca__n_components=1)
    assert per_view.transformers["rna"][-1].n_components == 2


def test_repr_for_notebooks_shows_the_transformers():
    assert "TfidfTransformer" in pre()._repr_html_()


class Halves:
    """A transformer with no more than fit and transform."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X / 2


def test_fit_and_transform_are_enough(tables):
    made = PerView({"rna": Halves()}).fit_transform(tables)
    assert_array_equal(made.tables[0], tables["rna"] / 2)


def test_given_transformers_are_not_fitted(tables):
    scaler = StandardScaler()
    fitted = PerView({"rna": scaler}).fit(tables)
    assert not hasattr(scaler, "mean_")
    assert hasattr(fitted.transformers_["rna"], "mean_")


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, np.asarray])
def test_samples_that_lack_a_view_are_kept_from_its_transformer(tables, library):
    rna = tables["rna"].copy()
    rna[[2, 5]] = np.nan
    made = PerView({"rna": PCA(2)}).fit_transform({"rna": library(rna), "image": tables["image"]})
    there = np.delete(np.arange(N), [2, 5])
    assert_allclose(made.tables[0][there], PCA(2).fit_transform(tables["rna"][there]))
    assert np.isnan(made.tables[0][[2, 5]]).all()
    assert_array_equal(np.flatnonzero(~made.present[0]), [2, 5])


def test_outer_join_keeps_empty_rows_empty(tables):
    anything = FunctionTransformer(lambda table: table + 0 * table)
    text = pd.DataFrame(tables["text"].toarray(), index=IDS)
    views = Views.from_tables({"rna": pd.DataFrame(tables["rna"], index=IDS), "text": text[3:]}, join="outer")
    made = PerView({"text": make_pipeline(anything, FunctionTransformer(sp.csr_array))}).fit_transform(views)
    assert_array_equal(made.tables[1].sum(axis=1) > 0, np.arange(N) >= 3)
    assert made.present[1].sum() == N - 3


@pytest.mark.parametrize(
    "transformers, options, message",
    [
        ({"rnb": PCA()}, {}, r"PerView names the view 'rnb'; the views are \['rna', 'text', 'image'\]"),
        ({7: PCA()}, {}, "PerView names the view 7"),
        ({"rna": "scale"}, {}, "View 'rna': 'scale' is no transformer, 'passthrough' or 'drop'"),
        ({"rna": PCA()}, {"remainder": "keep"}, "remainder='keep': use 'passthrough' or 'drop'"),
        ({"rna": "drop"}, {"remainder": "drop"}, "PerView drops every view"),
        ({"text": StandardScaler()}, {}, "View 'text': Cannot center sparse"),
        ({"rna": FunctionTransformer(lambda table: table[1:])}, {}, f"View 'rna': .* gave {N - 1} rows for {N}"),
    ],
)
def test_wrong_choices_are_named(tables, transformers, options, message):
    with pytest.raises(ValueError, match=message):
        PerView(transformers, **options).fit(tables)
