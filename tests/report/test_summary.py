"""The summary says what is so for every estimator, and leaves out what it does not know."""

import base64
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import manyview
from manyview import AnchorGraphClustering, NoStructureWarning, SemiNTF
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index
from manyview.report import summarize
from manyview.report.summary import shown

BASELINES = ["AMGL", "CSMSC", "FMCNOF", "GMC", "LMVSC", "MVGL", "SFMC", "SMSC"]


def column(summary, key):
    (found,) = [one for one in summary["map"]["columns"] if one["key"] == key]
    return np.frombuffer(base64.b64decode(found["data"]), dtype="<" + found["dtype"])


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_say_what_they_have_and_no_more(name, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = getattr(manyview, name)(3).fit(data.views)
    summary = summarize(model, data.views)
    assert [cluster["size"] for cluster in summary["clusters"]] == np.bincount(model.labels_).tolist()
    assert summary["mapped"]
    assert all(cluster["typical"] for cluster in summary["clusters"])
    for section in ("confidence", "view_agreement", "selection", "dissent_by_cluster", "enrichment", "scores"):
        assert summary[section] is None, section
    assert all(cluster["stability"] is None for cluster in summary["clusters"])
    if summary["n_clusters"] > 1:  # MVGL finds one group here
        assert summary["heatmap"] is not None
        assert "measures neither stability nor confidence" in summary["answer"]["doubts"][0]
    json.dumps(summary, allow_nan=False)


def test_clusters_that_stayed_empty_are_told(data):
    model = manyview.LMVSC(3, random_state=0).fit(data.views)
    assert "The number of clusters was given, not chosen." in summarize(model)["answer"]["sentences"]
    model.labels_ = np.where(model.labels_ == 2, 0, model.labels_)
    assert "3 clusters were asked for, 1 of them stayed empty." in summarize(model)["answer"]["sentences"]


def test_without_views_there_are_no_features_and_no_votes(model):
    summary = summarize(model)
    assert summary["mapped"]
    assert summary["heatmap"] is None
    assert summary["view_agreement"] is None
    assert summary["run"]["checksum"] is None


def test_paper_variant_has_two_residuals_and_a_doubt(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SemiNTF.paper(n_clusters=3, n_anchors=20, max_iter=5).fit(data.views)
    summary = summarize(model, data.views)
    course = summary["convergence"]
    assert (course["n_iter"], course["converged"]) == (5, False)
    assert [one["name"] for one in course["series"] if one["residual"]] == ["residual_HQ", "residual_QJ"]
    assert any("before it had converged" in doubt for doubt in summary["answer"]["doubts"])


def test_clusters_are_those_of_the_model(summary, model, data):
    for cluster in summary["clusters"]:
        rows = model.labels_ == cluster["label"]
        assert cluster["size"] == rows.sum()
        assert cluster["confidence"] == pytest.approx(model.confidence_[rows].mean())
        assert cluster["contradicted"] == model.views_disagree_[rows].sum()
        assert cluster["stability"] == model.cluster_stability_[cluster["label"]]
    explained = model.explain(data.views)
    assert summary["clusters"][2]["typical"] == [f"sample {row.row}" for row in explained.clusters[2].rows]


def test_least_certain_is_a_tenth_of_this_data_set(summary, model):
    counted = sum(round(cluster["least_certain"] * cluster["size"]) for cluster in summary["clusters"])
    assert counted == pytest.approx(0.1 * len(model.labels_), abs=1)
    assert summary["confidence"]["low"] == pytest.approx(np.quantile(model.confidence_, 0.1))


def test_map_columns_decode_to_the_model(summary, model):
    assert column(summary, "cluster").tolist() == model.labels_.tolist()
    assert_allclose(column(summary, "confidence"), model.confidence_, atol=1e-7)
    assert column(summary, "disagree").tolist() == model.views_disagree_.astype(int).tolist()
    assert summary["map"]["rows"] is None


def test_disagreement_of_the_votes_is_that_of_the_model(summary, model):
    """The weighted majority of the votes that the report shows is what the fit calls disagreement."""
    votes = np.column_stack([column(summary, f"vote-{v}") for v in range(3)]).astype(int)
    known = votes < 255
    against = (known & (votes != model.labels_[:, None])) @ model.reliability_.view_weights
    assert ((against > 0.5 * (known @ model.reliability_.view_weights)) == model.views_disagree_).all()


def test_agreement_matrix_is_the_ari_of_the_votes(summary):
    votes = [column(summary, f"vote-{v}").astype(int) for v in range(3)]
    known = (votes[0] < 255) & (votes[1] < 255)
    expected = adjusted_rand_index(votes[0][known], votes[1][known])
    assert summary["view_agreement"]["ari"][0][1] == pytest.approx(expected)
    assert summary["view_agreement"]["ari"][1][0] == pytest.approx(expected)


def test_large_data_are_sampled_and_the_summary_says_so(model, data, monkeypatch):
    monkeypatch.setattr(shown, "MAX_SHOWN", 50)
    summary = summarize(model, data.views)
    rows = np.frombuffer(base64.b64decode(summary["map"]["rows"]), dtype="<u4")
    assert (summary["map"]["n_shown"], summary["map"]["n_samples"]) == (50, 120)
    assert (np.diff(rows.astype(int)) > 0).all()
    assert column(summary, "cluster").tolist() == model.labels_[rows].tolist()


def test_long_ids_shrink_the_sample(model, monkeypatch):
    monkeypatch.setattr(shown, "MAX_BYTES", 20_000)
    short, long = (summarize(model, ids=["x" * size + str(i) for i in range(120)]) for size in (1, 300))
    assert long["map"]["n_shown"] < 70 < short["map"]["n_shown"] == 120


def test_pandas_metadata_are_aligned_by_index(model, data):
    ids = [f"s{i}" for i in range(120)]
    frame = pd.DataFrame({"number": np.arange(120.0)}, index=ids).sample(frac=1, random_state=0)
    summary = summarize(model, ids=ids, metadata=frame)
    assert column(summary, "metadata-0").tolist() == np.arange(120.0).tolist()


def test_missing_views_are_counted_and_a_cluster_of_them_is_doubted():
    data = make_views(n_samples=150, n_clusters=3, random_state=0)
    views = {name: view.copy() for name, view in data.views.items()}
    views["view_1"][data.labels == 0] = np.nan
    model = AnchorGraphClustering(3, random_state=0).fit(views)
    summary = summarize(model, views)
    assert summary["views"][1]["missing"] == (data.labels == 0).sum()
    assert summary["missing_by_cluster"]["shares"][model.labels_[data.labels == 0][0]][1] == 1
    assert any("without view_1" in doubt for doubt in summary["answer"]["doubts"])


def test_noise_is_called_noise():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(250, 12)) for _ in range(3)]
    summary = summarize(AnchorGraphClustering(4, random_state=0).fit(views))
    assert "structure beyond chance" in summary["answer"]["doubts"][0]
    assert summary["answer"]["headline"] == "4 clusters in 250 samples, no more stable than chance"


def test_one_cluster_that_was_chosen_is_called_no_structure():
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(200, 8)) for _ in range(2)]
    with pytest.warns(NoStructureWarning):
        model = AnchorGraphClustering("auto", random_state=0).fit(views)
    summary = summarize(model, views)
    assert summary["answer"]["headline"] == "No structure beyond chance in 200 samples"
    assert [one["key"] for one in summary["map"]["columns"]] == ["cluster"]
    assert "Do not read groups into the map" in summary["answer"]["doubts"][0]


def test_map_of_two_clusters_shows_the_embedding_and_the_data():
    data = make_views(n_samples=90, n_clusters=2, random_state=0)
    model = AnchorGraphClustering(2, random_state=0).fit(data.views)
    method = summarize(model, data.views)["map"]["method"]
    assert "diffusion embedding" in method
    assert "principal components" in method


def test_clear_groups_raise_no_doubt():
    data = make_views(n_samples=150, n_clusters=3, random_state=0)
    summary = summarize(AnchorGraphClustering(3, random_state=0).fit(data.views), data.views)
    assert summary["answer"]["doubts"] == []
    assert "stable" in " ".join(summary["answer"]["sentences"])


def test_one_cluster_separates_nothing(data):
    summary = summarize(AnchorGraphClustering(1, random_state=0).fit(data.views), data.views)
    assert summary["answer"]["headline"] == "1 cluster in 120 samples"
    assert summary["answer"]["doubts"] == ["There is one cluster, so nothing here separates the samples."]


def test_tables_on_disk_give_the_same_summary(model, data, tmp_path):
    paths = {}
    for name, view in data.views.items():
        paths[name] = tmp_path / f"{name}.npy"
        np.save(paths[name], view)
    stored, held = summarize(model, paths), summarize(model, data.views)
    for section in ("map", "clusters", "heatmap", "views", "view_agreement"):
        assert stored[section] == held[section], section
    assert stored["run"]["checksum"] == held["run"]["checksum"]


def test_code_repeats_the_run(model):
    code = summarize(model)["run"]["code"]
    assert "model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(views)" in code
    compile(code, "report", "exec")


def test_checksum_sees_one_number(model, data):
    first = summarize(model, data.views)["run"]["checksum"]
    changed = {name: view.copy() for name, view in data.views.items()}
    assert summarize(model, changed)["run"]["checksum"] == first
    changed["view_2"][7, 3] += 1e-9
    assert summarize(model, changed)["run"]["checksum"] != first


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"y_true": [1, 2]}, r"y_true has shape \(2,\)"),
        ({"ids": ["a"]}, r"ids has shape \(1,\)"),
        ({"metadata": {"age": [1]}}, "metadata column 'age' has shape"),
        ({"images": np.zeros((120, 4))}, r"images must have shape \(n_samples, height, width\)"),
    ],
)
def test_wrong_lengths_are_named(model, wrong, message):
    with pytest.raises(ValueError, match=message):
        summarize(model, **wrong)


def test_other_rows_than_those_of_the_fit_are_refused(model, data):
    with pytest.raises(ValueError, match="views has 60 rows, but the model was fitted on 120"):
        summarize(model, {name: view[:60] for name, view in data.views.items()})


def test_outliers_are_told_with_their_nearest_cluster(data):
    views = {name: view.copy() for name, view in data.views.items()}
    for view in views.values():
        view[5] += 1000 * view.std(axis=0)
    model = AnchorGraphClustering(3, label_outliers=True, random_state=0).fit(views)
    assert model.labels_[5] == -1
    summary = summarize(model, views)
    assert [cluster["label"] for cluster in summary["clusters"]] == [0, 1, 2]
    assert sum(cluster["size"] for cluster in summary["clusters"]) == len(model.labels_)


@pytest.fixture(scope="module")
def frames():
    """Views whose samples have ids."""
    data = make_views(n_samples=60, n_clusters=3, random_state=0)
    ids = [f"s{i}" for i in range(60)]
    return {name: pd.DataFrame(table, index=ids) for name, table in data.views.items()}, pd.Series(data.labels, ids)


@pytest.fixture(scope="module")
def framed(frames):
    return AnchorGraphClustering(3, random_state=0).fit(frames[0])


def test_metadata_and_classes_are_matched_by_id(frames, framed):
    views, classes = frames
    shuffled = classes.sample(frac=1, random_state=0)
    some = shuffled[:40].to_frame("kind").assign(kind=lambda frame: "k" + frame["kind"].astype(str))
    summary = summarize(framed, views, y_true=shuffled, metadata=some)
    assert summary["scores"]["acc"] == 1.0
    (column,) = [one for one in summary["map"]["columns"] if one["title"] == "kind"]
    codes = np.frombuffer(base64.b64decode(column["data"]), column["dtype"])
    assert (codes == 255).sum() == 20
    assert {f"k{classes.iloc[row]}" == column["names"][code] for row, code in enumerate(codes) if code < 255} == {True}


def test_ids_that_do_not_match_are_refused(frames, framed):
    views, classes = frames
    with pytest.raises(ValueError, match="index of metadata holds none of the ids"):
        summarize(framed, views, metadata=classes.to_frame("kind").rename(index=str.upper))
    with pytest.raises(ValueError, match="metadata has an id twice, 's0'"):
        summarize(framed, views, metadata=pd.concat([classes, classes[:1]]).to_frame("kind"))
    with pytest.raises(ValueError, match="no class for sample 's59'"):
        summarize(framed, views, y_true=classes[:59])
    by_position = classes.reset_index(drop=True)
    assert summarize(framed, views, y_true=by_position)["scores"]["acc"] == 1.0


@pytest.mark.parametrize("kind", [object, "string", "category"])
def test_classes_may_be_texts_of_pandas(kind, frames, framed):
    views, classes = frames
    summary = summarize(framed, views, y_true=classes.map({0: "a", 1: "b", 2: "c"}).astype(kind))
    assert {cluster["main_class"] for cluster in summary["clusters"]} == {"a", "b", "c"}
    assert summary["contingency"]["classes"] == ["a", "b", "c"]
    assert np.diag(summary["contingency"]["counts"]).sum() == 60
    json.dumps(summary)
