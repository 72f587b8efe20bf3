"""A saved model is the same model; a damaged file is an error, and nothing in a file is ever run."""

import io
import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from sklearn.base import clone

import manyview
from manyview import AnchorGraphClustering, ModelFileError, SemiNTF, load
from manyview.cluster.saving import _with_digest, estimators
from manyview.datasets import make_views
from mutations import N_FILES, record

from ..data.make_model import PLACE, frames


@pytest.fixture(scope="module")
def data():
    return make_views(n_samples=120, n_clusters=3, widths=(6, 9), random_state=0)


@pytest.fixture(scope="module")
def saved(data, tmp_path_factory):
    return (
        AnchorGraphClustering(3, random_state=0).fit(data.views).save(tmp_path_factory.mktemp("model") / "a.manyview")
    )


def same(first, second):
    if isinstance(first, np.ndarray):
        assert_array_equal(first, second)
    elif scipy.sparse.issparse(first):
        assert type(first) is type(second)
        assert_array_equal(first.toarray(), second.toarray())
    elif hasattr(first, "__dataclass_fields__"):
        for name in first.__dataclass_fields__:
            same(getattr(first, name), getattr(second, name))
    elif isinstance(first, tuple | list):
        assert type(first) is type(second)
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            same(one, other)
    elif isinstance(first, dict):
        assert list(first) == list(second)
        for key in first:
            same(first[key], second[key])
    else:
        assert first == second


@pytest.mark.filterwarnings("ignore:MVGL")
@pytest.mark.parametrize("name", estimators())
def test_every_estimator_is_loaded_as_it_was_saved(name, data, tmp_path):
    options = {"n_clusters": 3}
    estimator = estimators()[name](**options)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    model = estimator.fit(data.views)
    loaded = load(model.save(tmp_path / "model.manyview"))
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    for key, value in vars(model).items():
        same(value, getattr(loaded, key))
    if hasattr(model, "predict"):
        assert_array_equal(loaded.predict(data.views), model.predict(data.views))


def test_loaded_model_assesses_explains_and_grows(saved, data):
    model, loaded = AnchorGraphClustering(3, random_state=0).fit(data.views), load(saved)
    same(loaded.assess(data.views), model.assess(data.views))
    assert loaded.explain(data.views).to_dict() == model.explain(data.views).to_dict()
    part = {name: view[:40] for name, view in data.views.items()}
    assert_array_equal(loaded.partial_fit(part).anchor_membership_, model.partial_fit(part).anchor_membership_)


def test_sparse_words_and_automatic_k_survive(tmp_path):
    data = make_views(n_samples=150, n_clusters=3, widths=(300, 400), sparse=True, random_state=0)
    model = AnchorGraphClustering("auto", random_state=0).fit(data.views)
    loaded = load(model.save(tmp_path / "words.manyview"))
    assert str(loaded.selection_) == str(model.selection_)
    assert_array_equal(loaded.transform(data.views), model.transform(data.views))


def test_other_features_are_an_error_at_predict(saved, data):
    with pytest.raises(ValueError, match=r"view_0.*has 5 columns"):
        load(saved).predict({"view_0": data.views["view_0"][:, :5], "view_1": data.views["view_1"]})


def test_what_belongs_to_the_process_is_left_behind(data, tmp_path):
    model = AnchorGraphClustering(3, random_state=np.random.RandomState(0), verbose=lambda *_: None).fit(data.views)
    loaded = load(model.save(tmp_path / "model.manyview"))
    assert loaded.random_state is None
    assert loaded.verbose is False
    assert_array_equal(loaded.labels_, model.labels_)


@pytest.mark.mutations
def test_a_changed_byte_is_one_clear_error(saved, tmp_path):
    whole, damaged = saved.read_bytes(), tmp_path / "damaged.manyview"
    for seed in range(N_FILES):
        rng = np.random.default_rng(seed)
        content = bytearray(whole)
        for position in rng.integers(0, len(content), 1 + seed % 3):
            content[position] ^= int(rng.integers(1, 256))
        if seed % 4 == 0:
            content = content[: int(rng.integers(0, len(content)))]
        assert content != whole
        damaged.write_bytes(content)
        with pytest.raises(ModelFileError, match=r"damaged\.manyview is damaged"):
            load(damaged)
    record("saved model", ["one error"] * N_FILES)


def rewritten(saved, path, change):
    """Write the same model with another text, and a digest that fits."""
    with np.load(saved) as archive:
        arrays = {name: archive[name] for name in archive.files}
    content = json.loads(arrays["model"].tobytes())
    change(content)
    arrays["model"] = np.frombuffer(json.dumps(content).encode(), np.uint8)
    with open(path, "wb+") as file:
        np.savez(file, **arrays)
    path.write_bytes(_with_digest(io.BytesIO(path.read_bytes())))
    return path


def test_a_newer_format_names_the_version_to_install(saved, tmp_path):
    path = rewritten(saved, tmp_path / "new.manyview", lambda c: c.update(format=99))
    with pytest.raises(ModelFileError, match=f"saved by manyview {manyview.__version__}, in a newer format"):
        load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(estimator="os.system"),
        lambda c: c["results"].update(anchor_graph_={"part": "Popen", "fields": {"args": "true"}}),
        lambda c: c["results"].update(labels_={"array": "no such"}),
        lambda c: c["results"].update(labels_={"unknown": 1}),
        lambda c: c.pop("results"),
    ],
)
def test_a_crafted_text_names_no_class_but_ours(saved, change, tmp_path):
    path = rewritten(saved, tmp_path / "crafted.manyview", change)
    with pytest.raises(ModelFileError, match=r"crafted\.manyview"):
        load(path)


def test_a_pickle_is_not_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (exec, ("raise SystemExit('code was run')",))

    path = tmp_path / "bomb.manyview"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ModelFileError):
        load(path)


def test_the_file_is_an_archive_without_pickles(saved):
    with zipfile.ZipFile(saved) as archive:
        assert archive.testzip() is None
    with np.load(saved, allow_pickle=False) as archive:
        assert all(archive[name].dtype != object for name in archive.files)


def test_missing_file_and_unfitted_model(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.manyview"):
        load(tmp_path / "none.manyview")
    with pytest.raises(ValueError, match="not fitted"):
        clone(SemiNTF(3)).save(tmp_path / "model.manyview")
    assert list(tmp_path.iterdir()) == []


def test_preparation_and_ids_survive(tmp_path):
    views, _ = frames()
    views["clinic"] = views["clinic"].assign(smokes=[True, False] * 30, empty=np.nan)
    views["clinic"].iloc[0, 0] = np.nan
    model = AnchorGraphClustering(3, random_state=0).fit(manyview.Views.from_tables(views, impute="median"))
    loaded = load(model.save(tmp_path / "model.manyview"))
    same(loaded.view_preparations_, model.view_preparations_)
    same(loaded.view_columns_, model.view_columns_)
    same(loaded.sample_ids_, model.sample_ids_)
    texts = views["clinic"].astype({"stage": str})  # what a csv file gives
    texts.iloc[1, 1] = np.nan
    texts.iloc[2, texts.columns.get_loc("stage")] = "IV"
    new = {"image": views["image"][::-1], "clinic": texts}
    assert_array_equal(loaded.transform(new), model.transform(new))
    assert loaded.predict(new).index.tolist() == views["image"].index[::-1].tolist()
    with pytest.raises(ValueError, match=r"View 'clinic'"):
        loaded.predict({"image": views["image"], "clinic": texts.drop(columns="stage")})


def test_object_ids_survive(tmp_path):
    ids = pd.MultiIndex.from_tuples([(f"site{i % 2}", i) for i in range(60)])
    views = {name: frame.set_axis(ids) for name, frame in frames()[0].items()}
    model = AnchorGraphClustering(3, random_state=0).fit(views)
    assert load(model.save(tmp_path / "model.manyview")).sample_ids_.tolist() == ids.tolist()


def test_a_model_of_version_0_1_opens():
    views, labels = frames()
    model = load(PLACE)
    assert model.get_params()["n_clusters"] == 3
    assert model.sample_ids_[:2].tolist() == ["s00", "s01"]
    assert model.view_columns_[1] == (
        "clinic_0",
        "clinic_1",
        "clinic_2",
        "clinic_3",
        "stage=I",
        "stage=II",
        "stage=III",
    )
    assert len({(a, b) for a, b in zip(model.labels_.tolist(), labels.tolist(), strict=True)}) == 3
    predicted = model.predict({name: frame[::-1] for name, frame in views.items()})
    assert_array_equal(predicted, model.labels_[::-1])
    assert predicted.index[0] == "s59"


def test_a_model_is_replaced_and_nothing_left_beside(data, tmp_path):
    model = AnchorGraphClustering(3, random_state=0).fit(data.views)
    model.save(tmp_path / "model.manyview")
    model.save(tmp_path / "model.manyview")  # replaces it
    assert [path.name for path in tmp_path.iterdir()] == ["model.manyview"]
