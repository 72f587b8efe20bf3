import dataclasses
from collections import namedtuple

import numpy as np
import pytest

from manyview.bench.experiment import partition_digest, plain, row_order, run
from manyview.metrics import clustering_scores


@pytest.fixture(autouse=True)
def importable(toys, monkeypatch):
    monkeypatch.syspath_prepend(toys)


def test_rows_are_permuted_as_everywhere_in_the_project():
    assert row_order(5, "as-stored", 3).tolist() == [0, 1, 2, 3, 4]
    assert row_order(9, "shuffled", 3).tolist() == np.random.default_rng(103).permutation(9).tolist()


@pytest.mark.parametrize("order", ["as-stored", "shuffled"])
def test_a_cell_by_hand(inputs_with, order):
    from toys import Quick, data

    measured = {}
    result = run(inputs_with(order=order, seed=4, method__record=["center_", "n_clusters"]), None, measured)
    views, y = data()
    rows = np.arange(60) if order == "as-stored" else np.random.default_rng(104).permutation(60)
    model = Quick(n_clusters=3, random_state=4).fit([view[rows] for view in views])
    assert result["scores"] == clustering_scores(y[rows], model.labels_)
    assert (result["n_samples"], result["n_clusters"]) == (60, 3)
    assert result["recorded"] == {"center_": [model.center_[0], None], "n_clusters": 3}
    assert set(measured) == {"seconds", "cpu_seconds"}


def test_a_partition_is_the_same_under_other_names_and_row_orders(inputs_with):
    assert partition_digest(np.array([2, 2, 0, 1])) == partition_digest(np.array(["a", "a", "c", "b"]))
    assert partition_digest(np.array([0, 0, 1])) != partition_digest(np.array([0, 1, 1]))
    ordered, shuffled = (
        run(
            inputs_with(
                order=order,
                method__estimator="sklearn.cluster:KMeans",
                method__params={"n_init": 5},
                method__concatenate="raw",
                data__params={"shift": 50.0},
            ),
            None,
            {},
        )
        for order in ("as-stored", "shuffled")
    )
    assert ordered["scores"]["acc"] == shuffled["scores"]["acc"] == 1.0
    assert ordered["partition"] == shuffled["partition"]


def test_without_labels_there_are_no_scores(inputs_with):
    result = run(inputs_with(data__maker="toys:unlabeled", data__n_clusters=2), None, {})
    assert result["scores"] == {}
    assert result["n_clusters"] == 2


def test_without_labels_and_clusters_the_estimator_decides(inputs_with):
    with pytest.raises(TypeError, match="n_clusters"):
        run(inputs_with(data__maker="toys:unlabeled"), None, {})


def test_labels_may_come_from_predict(inputs_with):
    inputs = inputs_with(
        method__estimator="sklearn.mixture:GaussianMixture", method__concatenate="raw", method__grid={"n_components": 3}
    )
    assert run(inputs, None, {})["n_clusters"] == 3


def test_labels_of_the_wrong_length_are_an_error(inputs_with):
    with pytest.raises(ValueError, match=r"labels of shape \(3,\) for 60 samples"):
        run(inputs_with(method__estimator="toys:TooFew"), None, {})


def test_what_is_recorded_becomes_json():
    Point = namedtuple("Point", "x y")
    Pair = dataclasses.make_dataclass("Pair", ["a", "b"])
    value = {"p": Point(np.float32(0.5), [np.inf]), 3: Pair(np.arange(2), (None, "s", True))}
    assert plain(value) == {"p": {"x": 0.5, "y": [None]}, "3": {"a": [0, 1], "b": [None, "s", True]}}
    with pytest.raises(TypeError, match="cannot record a object"):
        plain(object())
