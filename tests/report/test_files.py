"""Files on disk: complete, replaced as a whole, nothing left beside them."""

import csv

import pytest

from manyview.report import render, write_labels, write_report
from manyview.report.figures import convergence_png


def test_report_files_hold_page_and_figure(summary, tmp_path):
    folder = tmp_path / "new" / "folder"
    figure, page = write_report(summary, folder)
    assert figure.read_bytes() == convergence_png(summary["convergence"])
    assert page.read_text(encoding="utf-8") == render(summary)
    assert sorted(path.name for path in folder.iterdir()) == ["convergence.png", "report.html"]


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
