import sys
import types

import numpy as np
import pytest

from manyview.bench.peers import SNF


def blocks(labels):
    return (labels[:, None] == labels[None, :]) + 0.01


@pytest.fixture
def stand_in(monkeypatch):
    """A package ``snf`` that fuses by the mean and keeps what it was given."""
    seen = {}
    snf = types.ModuleType("snf")

    def make_affinity(views, metric, K, mu):
        seen.update(views=views, metric=metric, K=K, mu=mu)
        return [blocks(view[:, 0].round()) for view in views]

    snf.make_affinity = make_affinity
    snf.snf = lambda networks, K: np.mean(networks, axis=0)
    monkeypatch.setitem(sys.modules, "snf", snf)
    return seen


def test_networks_of_standardized_views_are_fused_and_cut(stand_in):
    y = np.repeat([0, 1, 2], 10)
    model = SNF(3, n_neighbors=7, random_state=0).fit([y[:, None] * 5.0, y[:, None] - 3.0])
    assert len({(label, cluster) for label, cluster in zip(y, model.labels_, strict=True)}) == 3
    assert (stand_in["K"], stand_in["metric"]) == (7, "sqeuclidean")
    for view in stand_in["views"]:
        assert view.mean() == pytest.approx(0.0)
        assert view.std() == pytest.approx(1.0)


def test_without_the_package_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "snf", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        SNF(2).fit([np.eye(4)])
    assert caught.value.name == "snf"
