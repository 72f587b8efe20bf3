"""Labels as a csv file."""

import csv
import os

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from manyview.io import read_labels, write_labels

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=50)
@given(st.dictionaries(texts, st.integers(0, 9), min_size=1, max_size=8))
def test_what_is_written_is_read(tmp_path_factory, labels):
    path = write_labels(tmp_path_factory.mktemp("l") / "l.csv", ids=list(labels), labels=list(labels.values()))
    ids, found = read_labels(path)
    assert dict(zip(ids.tolist(), map(int, found), strict=True)) == labels


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\tx", "\rx"])
def test_guard_for_spreadsheets(text, tmp_path):
    for safe, expected in ((True, f"'{text}"), (False, text)):
        path = write_labels(tmp_path / "l.csv", ids=[text, "a=b"], labels=[0, 1], spreadsheet_safe=safe)
        with open(path, newline="", encoding="utf-8") as file:
            assert [row["id"] for row in csv.DictReader(file)] == [expected, "a=b"]


def test_surrogates_are_replaced(tmp_path):
    assert read_labels(write_labels(tmp_path / "l.csv", ids=["a\udc80"], labels=[0]))[0].tolist() == ["a?"]


def test_folders_are_made_and_nothing_is_left_beside(tmp_path):
    write_labels(tmp_path / "a" / "b" / "l.csv", ids=[1], labels=[0], confidence=[0.25])
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["l.csv"]
    assert (tmp_path / "a" / "b" / "l.csv").read_text() == "id,label,confidence\n1,0,0.250000\n"


@pytest.mark.parametrize(
    ("content", "ids", "labels"),
    [
        ("id,label\na,1\n", ["a"], ["1"]),
        ("sample;x\n", None, None),
        ("\ufeffClass,Id\n1,a\n", ["a"], ["1"]),
        ("patient,age,target\na,5,1\n\nb,6,2\n", ["a", "b"], ["1", "2"]),
        ("cluster\n1\n0\n", ["0", "1"], ["1", "0"]),
    ],
)
def test_headers(content, ids, labels, tmp_path):
    path = tmp_path / "l.csv"
    path.write_text(content, encoding="utf-8")
    if ids is None:
        with pytest.raises(ValueError, match=r"l\.csv: has no column named label, labels, cluster, class, y or target"):
            read_labels(path)
    else:
        assert [found.tolist() for found in read_labels(path)] == [ids, labels]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"id,label\na,1\na,2\n", "has the id 'a' twice"),
        (b"id,label\na\n", "line 2 has 1 cells and the header 2"),
        (b"id,label\n", "has no samples"),
        (b"id,label\n\xff,1\n", "is not a csv file of labels"),
    ],
)
def test_damage_names_the_file(content, told, tmp_path):
    path = tmp_path / "l.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"l\.csv: ") as caught:
        read_labels(path)
    assert told in str(caught.value)


def test_only_regular_files_are_opened(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read_labels(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="is a folder where a file is expected"):
        read_labels(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(ValueError, match="is a device, a pipe or a socket"):
            read_labels(tmp_path / "pipe.csv")
