"""Files on disk: complete, replaced as a whole, nothing left beside them."""

import csv
import json

import pytest

from manyview.io import write_labels
from manyview.report import compact_html, render, report, write_report


def test_report_files_hold_page_and_facts(summary, tmp_path):
    folder = tmp_path / "new" / "folder"
    facts, page = write_report(summary, folder)
    assert page.read_text(encoding="utf-8") == render(summary)
    assert json.loads(facts.read_text(encoding="utf-8"))["clusters"] == summary["clusters"]
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.json"]


def test_report_of_a_model_is_one_call(model, data, tmp_path):
    page = report(model, data.views, tmp_path / "mine.html", name="mine")
    assert page == tmp_path / "mine.html"
    assert json.loads((tmp_path / "mine.json").read_text())["name"] == "mine"


def test_compact_form_is_short_and_inert(data):
    import manyview

    views = {"<script>alert(1)</script>": data.views["view_0"], "b": data.views["view_1"]}
    html = compact_html(manyview.AnchorGraphClustering(3, random_state=0).fit(views))
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "3 clusters in 120 samples" in html
    assert len(html) < 5_000
    assert "stability" not in compact_html(manyview.LMVSC(3, random_state=0).fit(views))


def test_labels_survive_awkward_ids(tmp_path):
    path = write_labels(tmp_path / "labels.csv", ids=["a,b", 'c"d', "é"], labels=[2, 0, 1], confidence=[0.25, 1, 0])
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["id", "label", "confidence"],
            ["a,b", "2", "0.250000"],
            ['c"d', "0", "1.000000"],
            ["é", "1", "0.000000"],
        ]


def test_old_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")
    with pytest.raises(ValueError, match="zip"):
        write_labels(path, ids=[1, 2], labels=[0], confidence=[1.0, 1.0])
    assert path.read_text() == "old"
    write_labels(path, ids=[1], labels=[0], confidence=[1.0])
    assert path.read_text() == "id,label,confidence\n1,0,1.000000\n"
    assert list(tmp_path.iterdir()) == [path]
