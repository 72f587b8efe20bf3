"""Every number of a summary, against a direct computation from the model and the labels."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from manyview import SemiNTF, __version__
from manyview.metrics import clustering_scores, match_labels
from manyview.report import summarize


def test_summary_is_plain_json(summary, unfinished):
    for each in (summary, unfinished):
        assert json.loads(json.dumps(each, allow_nan=False)) == each


def test_head_says_what_was_clustered(summary, data):
    assert (summary["name"], summary["method"], summary["seconds"]) == ("three groups", "SemiNTF", 1.5)
    assert (summary["n_samples"], summary["n_clusters"]) == (120, 3)
    assert summary["versions"]["manyview"] == __version__


def test_scores_are_those_of_the_labels(summary, model, data):
    assert summary["scores"] == clustering_scores(data.labels, model.labels_)


def test_clusters_add_up(summary, model, data, images):
    for k, cluster in enumerate(summary["clusters"]):
        rows = model.labels_ == k
        counts = np.bincount(data.labels[rows], minlength=3)
        assert cluster["label"] == k
        assert cluster["size"] == rows.sum()
        assert cluster["share"] == pytest.approx(rows.sum() / 120)
        assert cluster["confidence"] == pytest.approx(model.confidence_[rows].mean())
        assert cluster["unsure"] == (model.confidence_[rows] < 0.5).sum()
        assert cluster["main_class"] == counts.argmax()
        assert cluster["main_share"] == pytest.approx(counts.max() / rows.sum())
        assert_allclose(cluster["image"], images[rows].mean(axis=0))
    assert sum(cluster["size"] for cluster in summary["clusters"]) == 120


def test_views_carry_names_widths_and_weights(summary, model):
    assert [(view["name"], view["width"]) for view in summary["views"]] == [
        ("view_0", 20),
        ("view_1", 50),
        ("view_2", 30),
    ]
    assert [view["weight"] for view in summary["views"]] == model.view_weights_.tolist()
    assert [view["agreement"] for view in summary["views"]] == model.view_agreement_.tolist()
    assert summary["weighted"] is True


def test_histogram_holds_every_row_and_its_correctness(summary, model, data):
    confidence = summary["confidence"]
    right = match_labels(data.labels, model.labels_) == data.labels
    assert 0 < right.sum() < 120  # else the split of the bars would be trivial
    assert sum(confidence["counts"]) == 120
    assert sum(confidence["right"]) == right.sum() == round(summary["scores"]["acc"] * 120)
    lowest = (model.confidence_ < confidence["edges"][10]) & ~right
    wrong = np.subtract(confidence["counts"], confidence["right"])
    assert wrong[:10].sum() == lowest.sum()
    assert confidence["mean"] == pytest.approx(model.confidence_.mean())
    assert confidence["median"] == pytest.approx(np.median(model.confidence_))
    assert confidence["unsure"] == (model.confidence_ < confidence["threshold"]).sum() > 0


def test_contingency_has_matched_clusters_on_the_diagonal(summary, model, data):
    table = summary["contingency"]
    counts = np.array(table["counts"])
    for i, label in enumerate(table["classes"]):
        for j, cluster in enumerate(table["clusters"]):
            assert counts[i, j] == ((data.labels == label) & (model.labels_ == cluster)).sum()
    assert np.trace(counts) == round(summary["scores"]["acc"] * 120)


def test_clusters_without_a_class_come_last(data):
    finer = SemiNTF(n_clusters=5, random_state=0).fit(data.views)
    table = summarize(finer, y_true=np.array(["a", "b", "c"])[data.labels])["contingency"]
    counts = np.array(table["counts"])
    assert table["classes"] == ["a", "b", "c"]
    assert sorted(table["clusters"]) == [0, 1, 2, 3, 4]
    acc = clustering_scores(data.labels, finer.labels_)["acc"]
    assert np.trace(counts[:, :3]) == round(acc * 120)


def test_convergence_is_the_history(summary, model, unfinished):
    convergence = summary["convergence"]
    assert convergence["objective"] == model.history_["objective"].tolist()
    assert convergence["residual_HQ"] == model.history_["residual_HQ"].tolist()
    assert len(convergence["residual_QJ"]) == convergence["n_iter"] == model.n_iter_
    assert convergence["residual_HQ"][-1] <= convergence["limit"] < convergence["residual_HQ"][0]
    assert (convergence["converged"], convergence["coupled"]) == (True, False)
    assert (unfinished["convergence"]["converged"], unfinished["convergence"]["coupled"]) == (False, True)
    assert unfinished["weighted"] is False


def test_parameters_say_what_was_set_and_what_auto_became(summary, unfinished):
    shown = {parameter["name"]: parameter for parameter in summary["parameters"]}
    assert shown["n_clusters"] == {"name": "n_clusters", "value": "3", "changed": True}
    assert shown["p"]["changed"] is False
    assert shown["n_anchors"]["value"] == "auto: 120"  # no more anchors than rows
    assert "verbose" not in shown
    assert set(shown) == set(SemiNTF().get_params()) - {"verbose"}
    paper = {parameter["name"]: parameter["value"] for parameter in unfinished["parameters"]}
    assert (paper["n_anchors"], paper["variant"]) == ("20", "paper")


def test_array_parameters_are_described_not_printed(data):
    start = np.arange(120) % 3
    with_array = summarize(SemiNTF(n_clusters=3, init=start, random_state=0).fit(data.views))
    shown = {parameter["name"]: parameter for parameter in with_array["parameters"]}
    assert shown["init"] == {"name": "init", "value": "array of shape (120,)", "changed": True}


def test_without_classes_and_images_their_parts_are_none(model):
    bare = summarize(model)
    assert bare["scores"] is None
    assert bare["contingency"] is None
    assert bare["confidence"]["right"] is None
    assert bare["seconds"] is None
    assert {cluster["main_class"] for cluster in bare["clusters"]} == {None}
    assert {cluster["image"] is None for cluster in bare["clusters"]} == {True}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"y_true": [0, 1]}, r"y_true has shape \(2,\), but the model was fitted on 120 rows"),
        ({"images": np.ones((3, 2, 2))}, r"images has shape \(3, 2, 2\), but the model was fitted on 120 rows"),
        ({"images": np.ones((120, 4))}, r"images must have shape \(n_samples, height, width\); got \(120, 4\)"),
        ({"y_true": 1}, r"y_true has shape \(\)"),
    ],
)
def test_misfitting_input_is_named(model, wrong, message):
    with pytest.raises(ValueError, match=message):
        summarize(model, **wrong)


def test_unfitted_model_is_refused():
    with pytest.raises(NotFittedError):
        summarize(SemiNTF(n_clusters=2))
