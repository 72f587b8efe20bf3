"""csv: what is found out about the file, and what comes out."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview.io import read_table, read_views
from manyview.io._isolated.csv_dialect import find_dialect, is_header, to_utf8

pytestmark = pytest.mark.usefixtures("inline")

FRAME = {"age": [61.5, 47.0], "stage": ["II", "Größe"], "count": [3, 4]}
TEXT = "id;age;stage;count\nP1;61.5;II;3\nP2;47;Größe;4\n"


def check(table):
    assert table.ids.tolist() == ["P1", "P2"]
    assert table.feature_names == ("age", "stage", "count")
    assert table.frame.to_pydict() == FRAME


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_delimiter_and_encoding_are_found(tmp_path, delimiter, encoding):
    (tmp_path / "a.csv").write_bytes(TEXT.replace(";", delimiter).encode(encoding))
    check(read_table(tmp_path / "a.csv"))


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_comma_is_found(tmp_path, delimiter):
    text = TEXT.replace(".", ",").replace(";", delimiter)
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    check(read_table(tmp_path / "a.csv"))


def test_decimal_comma_far_down_is_found(tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n" + "1;2\n" * 300 + "1,5;2\n")
    assert read_views(tmp_path / "a.csv").views["a"][-1].tolist() == [1.5, 2.0]


@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_line_ends(tmp_path, line):
    (tmp_path / "a.csv").write_bytes(TEXT.replace("\n", line).encode())
    check(read_table(tmp_path / "a.csv"))


def test_packed_files(tmp_path):
    with gzip.open(tmp_path / "a.csv.gz", "wb") as file:
        file.write(TEXT.encode())
    with pa.output_stream(str(tmp_path / "b.tsv.zst"), compression="zstd") as stream:
        stream.write(TEXT.replace(";", "\t").encode())
    check(read_table(tmp_path / "a.csv.gz"))
    check(read_table(tmp_path / "b.tsv.zst"))


def test_written_by_pandas_and_polars(tmp_path):
    frame = pd.DataFrame(FRAME, index=["P1", "P2"])
    frame.to_csv(tmp_path / "a.csv")
    frame.to_csv(tmp_path / "b.csv", sep=";", decimal=",")
    pl.DataFrame({"id": ["P1", "P2"], **FRAME}).write_csv(tmp_path / "c.csv")
    for name in "abc":
        check(read_table(tmp_path / f"{name}.csv"))


def test_written_by_r(tmp_path):
    """write.table leaves out the name of the row names."""
    (tmp_path / "a.tsv").write_text('"age"\t"stage"\t"count"\n"P1"\t61.5\t"II"\t3\n"P2"\t47\t"Größe"\t4\n', "utf-8")
    check(read_table(tmp_path / "a.tsv"))


def test_quoted_cells_may_hold_anything(tmp_path):
    (tmp_path / "a.csv").write_text('id,"a ""b"", c",d\n"x,\ny","1.5",2\nz,3,4\n')
    table = read_table(tmp_path / "a.csv")
    assert table.ids.tolist() == ["x,\ny", "z"]
    assert table.feature_names == ('a "b", c', "d")
    assert table.frame.column(0).to_pylist() == [1.5, 3.0]


def test_ids_keep_leading_zeros(tmp_path):
    (tmp_path / "a.csv").write_text("id,x\n007,1\n08,2\n")
    assert read_table(tmp_path / "a.csv").ids.tolist() == ["007", "08"]
    (tmp_path / "b.csv").write_text("id,x\n7,1\n8,2\n")
    assert read_table(tmp_path / "b.csv").ids.tolist() == [7, 8]


def test_other_columns_are_kept_as_they_are(tmp_path):
    (tmp_path / "a.csv").write_text("day,smoker,note\n2020-01-05,true,\n2021-02-06,false,b\n")
    frame = read_table(tmp_path / "a.csv").frame
    assert [str(field.type) for field in frame.schema] == ["date32[day]", "bool", "string"]


def test_types_may_change_below_the_first_rows(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n" + "1,2.5,3\n" * 300 + "1.5,b,NA\n")
    frame = read_table(tmp_path / "a.csv").frame
    assert [str(field.type) for field in frame.schema] == ["double", "string", "int64"]
    assert frame.slice(300).to_pylist() == [{"x": 1.5, "y": "b", "z": None}]


def test_rows_beyond_the_parser_s_block(tmp_path):
    wide = np.random.default_rng(0).random((3, 4000))
    np.savetxt(tmp_path / "a.csv", wide, fmt="%.300f", delimiter=",")
    assert (tmp_path / "a.csv").stat().st_size > 3 * 2**20
    assert_array_equal(read_views(tmp_path / "a.csv", header=False).views["a"], wide)


HEADERS = [
    ("a,b", ["1,2"], True),
    ("id,2000", ["s,1"], True),
    ("gene,2000,2001", ["5,1,2"], True),
    ("0,1,2", ["5,6,8"], True),
    (",0,1", ["5,6,8"], True),
    ("1,2", ["3,4", "7,8"], False),
    ("1.5,2.7", ["3,4"], False),
    ("4,2,9", ["3,4,5"], False),
    ("5,5", ["3,4"], False),
    (",,", ["3,4,5"], False),
    ("1,NA,7", ["3,4,6"], False),
    ("7", ["8"], False),
    ("2000,2001", ["3,7"], None),
    ("400.5,401.0,401.5", ["3,7,1"], None),
    (",2000,2001", ["3,7,1"], None),
    ("gene,2000,2001", ["TP53,1,2"], None),
    ("s1,5.5", ["s2,7"], None),
]


@pytest.mark.parametrize("first, others, answer", HEADERS)
def test_header_is_judged_or_asked_for(first, others, answer):
    rows = [first.split(","), *(row.split(",") for row in others)]
    if answer is None:
        with pytest.raises(ValueError, match=r"its first row .* say which with header=True or header=False"):
            is_header(rows[0], rows[1:], ["id", ""])
    else:
        assert is_header(rows[0], rows[1:], ["id", ""]) is answer


@pytest.mark.parametrize("header, shape", [(True, (2, 2)), (False, (3, 2))])
def test_header_can_be_said(tmp_path, header, shape):
    (tmp_path / "a.csv").write_text("2000,2001\n5,7\n6,9\n")
    data = read_views(tmp_path / "a.csv", header=header)
    assert data.views["a"].shape == shape
    assert data.feature_names["a"] == (("2000", "2001") if header else None)


def test_id_column_is_found_or_named_missing(tmp_path):
    (tmp_path / "a.csv").write_text("patient,id,x\np,1,2\nq,1,4\n")
    assert read_table(tmp_path / "a.csv", id_column="patient").feature_names == ("id", "x")
    with pytest.raises(ValueError, match=r"a\.csv has no column 'sample'; its columns are \['patient', 'id', 'x'\]"):
        read_table(tmp_path / "a.csv", id_column="sample")
    with pytest.raises(ValueError, match="has the id '1' twice"):
        read_table(tmp_path / "a.csv")


def test_zero_bytes_are_no_text():
    with pytest.raises(ValueError, match="it is not a text"):
        to_utf8("1,2\n".encode("utf-16-le"))


def test_a_cut_archive_is_refused(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(TEXT.encode() * 50)[:-20])
    with pytest.raises(ValueError, match=r"a\.csv\.gz: cannot be read"):
        read_table(tmp_path / "a.csv.gz")


cells = st.one_of(st.floats(allow_nan=False, allow_infinity=False, width=64), st.integers(-(2**53), 2**53).map(float))


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=6),
    delimiter=st.sampled_from(",;\t"),
    decimal=st.sampled_from(".,"),
)
def test_numbers_of_any_size_survive(tmp_path_factory, rows, delimiter, decimal):
    decimal = "." if delimiter == "," else decimal
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    text = frame.to_csv(sep=delimiter, decimal=decimal, index=False)
    found = find_dialect(text.encode(), tab=False, header=None, id_names=["id"])
    assert (found.delimiter, found.header) == (delimiter, ["a", "b", "c"])
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_text(text)
    assert_array_equal(read_views(path).views["a"], frame.to_numpy())


@pytest.mark.parametrize("width", [7, 8, 9, 11])
def test_line_breaks_in_values_where_blocks_meet(tmp_path, width):
    """Lengths without a common factor with the block's put its end at every place of a row."""
    rows = [[f"a{row}\n" + "b" * (row % width), row, row / 2] for row in range(60_000)]
    frame = pd.DataFrame(rows, columns=["note", "x", "y"])
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert (tmp_path / "a.csv").stat().st_size > 2**20
    assert_array_equal(read_table(tmp_path / "a.csv").frame.to_pandas(), frame)
