"""manyview.cluster and its Result."""

import csv
import json

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from numpy.testing import assert_array_equal

import manyview
from manyview.datasets import make_views
from manyview.result import FILES, METHODS, estimator_for


@pytest.fixture(scope="module")
def frames():
    data = make_views(n_samples=60, n_clusters=3, widths=(4, 5), random_state=0)
    ids = [f"s{i:02d}" for i in range(60)]
    return {name: pd.DataFrame(view, index=ids).add_prefix("c") for name, view in data.views.items()}


@pytest.fixture(scope="module")
def result(frames):
    return manyview.cluster(frames, 3, name="made")


def test_labels_and_frame_have_the_ids(result, frames):
    assert result.labels.index.tolist() == frames["view_0"].index.tolist()
    assert result.n_clusters == 3
    assert_array_equal(result.frame()["cluster"], result.labels)
    assert result.frame("pyarrow").column_names[:2] == ["id", "cluster"]


def test_arrays_give_an_array(frames):
    labels = manyview.cluster([frame.to_numpy() for frame in frames.values()], 3).labels
    assert type(labels) is np.ndarray


def test_one_table_is_divided(frames):
    wide = pd.concat(frames.values(), axis=1).set_axis([f"c{j}" for j in range(9)], axis=1)
    divided = manyview.cluster(wide, 3, views={"a": [f"c{j}" for j in range(4)], "b": [f"c{j}" for j in range(4, 9)]})
    assert divided.model.view_names_ == ("a", "b")
    assert_array_equal(divided.labels, manyview.cluster(list(frames.values()), 3).labels)


def test_reprs(result):
    assert repr(result) == "Result of AnchorGraphClustering: 3 clusters of 60 samples: 20, 20, 20"
    assert "60" in result._repr_html_()


def test_html_without_jinja_is_the_text(result, monkeypatch):
    monkeypatch.setattr("manyview.report.compact_html", lambda model: (_ for _ in ()).throw(ImportError("jinja2")))
    assert result._repr_html_() == f"<pre>{result!r}</pre>"


def test_saved_folder_holds_the_same_result_everywhere(result, frames, tmp_path):
    paths = result.save(tmp_path / "deep" / "r", y_true=result.labels)
    assert [path.name for path in paths] == sorted(FILES)
    with open(tmp_path / "deep" / "r" / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"]: int(row["label"]) for row in rows} == result.labels.to_dict()
    table = pyarrow.parquet.read_table(tmp_path / "deep" / "r" / "result.parquet").to_pydict()
    assert dict(zip(table["id"], table["cluster"], strict=True)) == result.labels.to_dict()
    model = manyview.load(tmp_path / "deep" / "r" / "model.manyview")
    assert_array_equal(model.predict(frames), result.labels)
    assert json.loads((tmp_path / "deep" / "r" / "report.json").read_text())["scores"]["acc"] == 1
    facts = json.loads((tmp_path / "deep" / "r" / "run.json").read_text())
    assert (facts["n_samples"], facts["n_clusters"], facts["parameters"]["n_clusters"]) == (60, 3, 3)
    assert list(facts["versions"]) == ["manyview", "Python", "numpy", "scipy", "scikit-learn"]


def test_a_folder_is_replaced_only_on_demand_and_if_it_is_a_result(result, tmp_path):
    place = tmp_path / "r"
    result.save(place, report=False)
    with pytest.raises(FileExistsError, match="exists already: name a new folder"):
        result.save(place, report=False)
    result.save(place, report=False, replace=True)
    (place / "mine.txt").write_text("")
    with pytest.raises(FileExistsError):
        result.save(place, report=False, replace=True)
    assert (place / "mine.txt").exists()


def test_report_is_one_page_with_the_name(result, tmp_path):
    page = result.report(tmp_path / "page.html")
    assert "made" in page.read_text(encoding="utf-8")


def test_categories_are_said_in_the_facts(frames):
    views = {
        **frames,
        "clinic": pd.DataFrame({"stage": pd.Categorical(["I", "II"] * 30)}, index=frames["view_0"].index),
    }
    result = manyview.cluster(views, 3)
    assert result.run_facts()["notes"] == ["View 'clinic': the categories of column 'stage' became 2 columns."]


def test_odd_ids_and_names_are_written(frames, tmp_path):
    ids = ["=1+1", "\udc80", "a,b", 'say "x"', *map(str, range(56))]
    odd = {f"\udcff{name}": frame.set_axis(ids) for name, frame in frames.items()}
    result = manyview.cluster(odd, 3, name="<script>\udc80")
    result.save(tmp_path / "r", spreadsheet_safe=True)
    with open(tmp_path / "r" / "labels.csv", newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)][:4] == ["'=1+1", "?", "a,b", 'say "x"']
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "<script>?" not in page
    assert_array_equal(manyview.load(tmp_path / "r" / "model.manyview").predict(odd), result.labels)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_an_estimator(method):
    estimator = estimator_for(method, 3, None, random_state=5)
    assert estimator.get_params()["n_clusters"] == 3
    assert type(estimator).__name__ == method.partition(".")[0]
    assert estimator.get_params().get("random_state", 5) == 5


def test_what_does_not_exist_is_named():
    with pytest.raises(ValueError, match="method='KMeans' is none of AnchorGraphClustering, SemiNTF"):
        estimator_for("KMeans", 3, None, random_state=0)
    with pytest.raises(ValueError, match="GMC has no parameter 'n_anchors'; it has"):
        estimator_for("GMC", 3, None, random_state=0, n_anchors=5)


def test_auto_chooses_for_a_method_that_cannot(frames):
    assert manyview.cluster(frames, method="GMC").model.n_clusters == 3


def test_model_is_loaded_from_the_folder_of_a_result(result, tmp_path):
    result.save(tmp_path / "r", report=False)
    assert_array_equal(manyview.load(tmp_path / "r").labels_, result.model.labels_)
    with pytest.raises(FileNotFoundError, match=r"model\.manyview: there is no such file"):
        manyview.load(tmp_path)
