import importlib.util
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from manyview.io import read_views
from manyview.io.align import combine
from manyview.io.tables import to_table
from manyview.io.values import RawTable

IDS = [f"s{i}" for i in range(12)]


def test_csv_without_ids_is_matched_by_position(tmp_path, tiny, write, same):
    write.csv_folder(tmp_path / "tiny", tiny)
    data = read_views(tmp_path / "tiny")
    same(data, tiny)
    assert data.name == "tiny"


def test_csv_with_ids_is_matched_by_them(tmp_path, tiny, write, same):
    write.csv_folder(tmp_path / "tiny", tiny, ids=IDS)
    first_ids = [(tmp_path / "tiny" / f"view_{v}.csv").read_text().split()[1].split(",")[0] for v in (0, 1)]
    assert first_ids == ["s0", "s1"]  # the tables do differ in their order
    same(read_views(tmp_path / "tiny"), tiny)


def test_parquet(tmp_path, tiny, write, same):
    write.parquet_folder(tmp_path / "tiny", tiny)
    same(read_views(tmp_path / "tiny"), tiny)


def test_parquet_and_csv_together_matched_by_number_and_text(tmp_path):
    table = pa.table({"x": [1.5, 2.5, 3.5], "id": [1, 2, 3]})
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("id,u,v\n3,30,31\n1,10,11\n2,20,21\n")
    words = pa.table({"label": pa.array(["y", "x", "y"]).dictionary_encode(), "id": pa.array([2.0, 1.0, 3.0])})
    pq.write_table(words, tmp_path / "labels.parquet")
    data = read_views(tmp_path)
    assert_array_equal(data.views["a"], [[1.5], [2.5], [3.5]])
    assert_array_equal(data.views["b"], [[10, 11], [20, 21], [30, 31]])
    assert_array_equal(data.labels, [0, 1, 1])


@pytest.mark.parametrize("head", ["", "a,b,c\n", ",0,1\n", "0,1,2\n", "\ufeffid,b,c\n"])
def test_headers_are_recognized(tmp_path, head):
    (tmp_path / "v.csv").write_text(head + "5,0.5,-1e3\n\n7,2,3\n", encoding="utf-8")
    view = read_views(tmp_path).views["v"]
    want = [[5, 0.5, -1000], [7, 2, 3]]
    assert_array_equal(view, np.array(want)[:, 1:] if head.strip("\ufeff")[:2] in ("id", ",0") else want)


def test_views_come_in_natural_order_and_other_files_are_left_alone(tmp_path):
    for name in ("view10", "view9", "view1"):
        (tmp_path / f"{name}.csv").write_text("1\n2\n")
    (tmp_path / "README.txt").write_text("about")
    (tmp_path / ".view0.csv").write_text("hidden")
    assert list(read_views(tmp_path).views) == ["view1", "view9", "view10"]


def test_labels_may_be_numbers_or_words(tmp_path):
    (tmp_path / "v.csv").write_text("1\n2\n3\n")
    (tmp_path / "labels.csv").write_text("10\n9\n10\n")
    assert_array_equal(read_views(tmp_path).labels, [1, 0, 1])
    (tmp_path / "labels.csv").write_text("label,other\ncat,1\ndog,2\ncat,3\n")
    assert_array_equal(read_views(tmp_path).labels, [0, 1, 0])


@pytest.mark.parametrize(
    "tables, complaint",
    [
        ({}, "has no table; a table is one of .csv"),
        ({"labels": "1\n2\n"}, "has no table of a view"),
        ({"a": ""}, "a.csv: is empty"),
        ({"a": "\n \n"}, "a.csv: .*it is empty"),
        ({"a": "x,y\n"}, "header and no rows"),
        ({"a": "1,2\n3\n"}, "Row #2: Expected 2 columns, got 1"),
        ({"a": "1,2.5\n3,x\n"}, "column '1' is 'x' in row 1"),
        ({"a": "1,2.5\n3,\n"}, "nan at row 1, column 1"),
        ({"a": "1,2.5\n3,1_5\n"}, "column '1' is '1_5' in row 1"),
        ({"a": "1,2.5\n3,nan\n"}, "nan at row 1, column 1"),
        ({"a": "1,2.5\n3,1e999\n"}, "inf at row 1, column 1"),
        ({"a": '1,2.5\n3,"4\n'}, "a quotation mark is never closed"),
        ({"a": b"1,2.5\n3,\xff\n"}, "column '1' is 'ÿ' in row 1"),
        ({"a": b"1,2.5\n3,\x00\n"}, "it is not a text"),
        ({"a": "2000,2001\n5,7\n"}, "may be names or a sample; say which with header="),
        ({"a": "1\n2\n", "b": "1\n2\n3\n"}, r"rows differ between views \{'a': 2, 'b': 3\}"),
        ({"a": "1\n2\n", "labels": "1\n2\n3\n"}, r"labels of shape \(3,\) for 2 samples"),
        ({"a": "1\n2\n", "labels": "l\nx\n\n"}, r"labels of shape \(1,\)"),
        ({"a": "1\n2\n", "labels": 'l\nx\n""\n'}, "row 1 has no label"),
        ({"a": "1\n2\n", "labels": "1,2\n3,4\n"}, "must be one column besides the ids"),
        ({"a": "1\n2\n", "labels": "1\n1.5\n"}, "is 1.5 in row 1"),
        ({"a": "1\n2\n", "labels": "1\n2\n", "gt": "1\n2\n"}, "more than one table of labels"),
        ({"a": "id,x\n1,1\n2,2\n", "b": "x\n1\n2\n"}, r"\['a'\] have an id column and \['b'\] have none"),
        (
            {"a": "id,x\n1,1\n2,2\n", "b": "id,x\n1,1\n3,2\n"},
            r"ids of a and b differ in 2 samples, such as \['2', '3'\]",
        ),
        ({"a": "id,x\n1,1\n1,2\n"}, "a.csv has the id '1' twice, in rows 0 and 1"),
        ({"a": "id,index,x\n1,1,1\n"}, "several id columns"),
        ({"a": "id\n1\n2\n"}, "no column besides the ids"),
    ],
)
def test_tables_that_do_not_fit_are_one_clear_error(tmp_path, tables, complaint):
    for stem, content in tables.items():
        (tmp_path / f"{stem}.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=complaint):
        read_views(tmp_path)


def test_a_row_without_a_number_is_a_view_that_the_sample_lacks(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\np,1,2\nq,,\nr,3,4\n")
    (tmp_path / "b.csv").write_text("id,x\np,1\nr,2\nq,3\n")
    assert_array_equal(read_views(tmp_path).views["a"], [[1, 2], [np.nan, np.nan], [3, 4]])


def test_a_parquet_row_of_nulls_is_a_view_that_the_sample_lacks(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"id": ["p", "q"], "x": [1.0, 2.0], "y": [3.0, 4.0]}).set_index("id")
    table.reindex(["p", "none", "q"]).reset_index().to_parquet(tmp_path / "a.parquet")
    assert_array_equal(read_views(tmp_path).views["a"], [[1, 3], [np.nan, np.nan], [2, 4]])


def test_two_tables_of_one_name_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("1\n")
    (tmp_path / "a.CSV").write_text("1\n")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system does not tell upper from lower case")
    with pytest.raises(ValueError, match="two tables have the same name"):
        read_views(tmp_path)


@pytest.mark.parametrize(
    "columns, complaint",
    [
        ({"x": [1, None], "y": [1, 2]}, "nan at row 1, column 0"),
        ({"x": [1.0, float("nan")], "y": [1.0, 2.0]}, "nan at row 1, column 0"),
        ({"x": ["a", "b"]}, "column 'x' is 'a' in row 0; a view must hold real numbers"),
        ({"x": [[1.0], [2.0]]}, "column 'x' holds list<.*> values"),
        ({"x": [date(2020, 1, 1), None]}, "column 'x' holds date32.* values"),
        ({"id": [1, 2]}, "no column besides the ids"),
        ({"id": [1, 2], "index": [1, 2], "x": [1, 2]}, "several id columns"),
        ({"id": [1, None], "x": [1, 2]}, "1 rows without an id"),
    ],
)
def test_tables_that_are_no_view_are_refused(columns, complaint):
    table = RawTable(pa.table(columns), None, list(columns))
    with pytest.raises(ValueError, match=complaint) as caught:
        combine({"a": to_table(table, "a.parquet", "a")}, {"a": "a.parquet"}, where="folder", name="x")
    assert str(caught.value).startswith("a.parquet")


def test_parquet_checksums_are_verified(tmp_path):
    options = {"write_page_checksum": True, "compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({"x": np.full(50, 1.5)}), tmp_path / "a.parquet", **options)
    content = bytearray((tmp_path / "a.parquet").read_bytes())
    content[content.index(np.full(50, 1.5).tobytes()) + 80] ^= 1
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read"):
        read_views(tmp_path)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_text("a")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs pyarrow: pip install .manyview\[files\]"):
        read_views(tmp_path)
