"""manyview compare: two labelings by id."""

import json

import pytest

from .conftest import write_csv


@pytest.fixture
def pair(tmp_path):
    ids = [f"s{i}" for i in range(8)]
    first = write_csv(tmp_path / "a.csv", {"id": ids, "label": list("00001111")})
    second = write_csv(tmp_path / "b.csv", {"id": [*ids[:0:-1], "new"], "label": list("00011110")})
    return first, second


def test_scores_contingency_and_the_samples_that_moved(pair, run):
    shown = run("compare", *pair).stdout
    assert "7 samples in both (1 only in A, 1 only in B)." in shown
    for score in ("ACC", "NMI", "Purity", "Precision", "Recall", "F-score", "ARI"):
        assert score in shown
    assert "1 sample moved (clusters of B by the names of their matches in A):\n  s4: 1 -> 0\n" in shown


def test_json(pair, run):
    facts = json.loads(run("compare", *pair, "--json").stdout)
    assert facts["common"] == 7
    assert facts["moved"] == [{"id": "s4", "from": "1", "to": "0"}]
    assert facts["scores"]["acc"] == pytest.approx(6 / 7)
    assert sum(map(sum, facts["contingency"])) == 7


def test_no_common_id_and_no_such_file(pair, refused, tmp_path):
    other = write_csv(tmp_path / "c.csv", {"id": ["x"], "label": [0]})
    assert refused("compare", pair[0], other).endswith("have no id in common")
    assert refused("compare", pair[0], tmp_path / "none.csv").endswith("none.csv: there is no such file or folder")
    (tmp_path / "d.csv").write_text("id,age\nx,1\n")
    assert "has no column named label" in refused("compare", pair[0], tmp_path / "d.csv")


def test_folder_of_a_result_stands_for_its_labels(pair, run, tmp_path):
    (tmp_path / "result").mkdir()
    pair[0].rename(tmp_path / "result" / "labels.csv")
    assert "7 samples in both (1 only in A, 1 only in B)." in run("compare", tmp_path / "result", pair[1]).stdout
