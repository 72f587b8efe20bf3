import numpy as np
import pytest

from manyview.io import MultiViewData
from manyview.io.naming import is_naming, with_names
from manyview.io.values import Cell


@pytest.fixture
def data():
    return MultiViewData({"view_0": np.eye(3), "view_1": np.ones((3, 2))})


def words(*texts):
    return Cell((len(texts), 1), tuple(np.array([text]) for text in texts))


@pytest.mark.parametrize("kind", [np.array, lambda texts: words(*texts)], ids=["array", "cell"])
def test_names_are_found(data, kind):
    found = {"view_names": kind(["rna", "text"]), "ids": kind(["a", "b", "c"]), "feature_names_1": kind(["u", "v"])}
    named = with_names(data, found, "a.mat")
    assert list(named.views) == ["rna", "text"]
    assert named.ids.tolist() == ["a", "b", "c"]
    assert named.feature_names == {"rna": None, "text": ("u", "v")}


@pytest.mark.parametrize(
    "found",
    [
        {"view_names": np.array(["rna"])},
        {"view_names": np.array(["rna", "rna"])},
        {"view_names": np.arange(2)},
        {"ids": np.array(["a", "b"])},
        {"ids": np.ones((3, 2))},
        {"feature_names_0": np.array(["u", "v"])},
        {"ids": Cell((1, 3), (np.eye(2), np.eye(2), np.eye(2)))},
    ],
)
def test_what_only_has_such_a_name_is_left_alone(data, found):
    named = with_names(data, found, "a.mat")
    assert list(named.views) == ["view_0", "view_1"]
    assert named.ids is None
    assert named.feature_names == {"view_0": None, "view_1": None}


@pytest.mark.parametrize("name, answer", [("ids", True), ("feature_names_12", True), ("view_0", False), ("IDS", False)])
def test_names_of_names(name, answer):
    assert is_naming(name) is answer
