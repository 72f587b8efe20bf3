import pickle
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from manyview import LMVSC, Views
from manyview.views import StoredTable, arrow, check_views
from manyview.views.arrow import BATCH_ROWS

N, WIDTH = 1003, 5


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(0).standard_normal((N, WIDTH)).astype(np.float32)


def arrow_table(table):
    return pa.table({f"c{j}": table[:, j] for j in range(table.shape[1])})


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """The same table in all kinds of files; the folder's parts are in the order of their numbers."""
    path = tmp_path_factory.mktemp("stored")
    np.save(path / "table.npy", table)
    pq.write_table(arrow_table(table), path / "table.parquet", row_group_size=97)
    (path / "parts").mkdir()
    for part, start in enumerate(range(0, N, 90)):
        pq.write_table(arrow_table(table[start : start + 90]), path / "parts" / f"part.{part}.parquet")
    (path / "ipc").mkdir()
    ds.write_dataset(arrow_table(table), path / "ipc", format="ipc")
    return path


KINDS = {
    "npy": lambda path: path / "table.npy",
    "string": lambda path: str(path / "table.npy"),
    "memmap": lambda path: np.load(path / "table.npy", mmap_mode="r"),
    "parquet": lambda path: path / "table.parquet",
    "parts": lambda path: path / "parts",
    "dataset": lambda path: ds.dataset(path / "table.parquet"),
    "ipc": lambda path: ds.dataset(path / "ipc", format="ipc"),
}
KIND = pytest.mark.parametrize("kind", KINDS)


@KIND
def test_a_stored_table_reads_like_the_array(folder, table, kind):
    stored = StoredTable(KINDS[kind](folder), name="image")
    assert stored.shape == table.shape
    assert stored.dtype == np.float32
    assert len(stored) == N
    rows = np.random.default_rng(1).integers(-N, N, 50)
    for key in (slice(0, 10), slice(10, 300), slice(300, 40), slice(95, 290), slice(-5, None), slice(1, 900, 7), rows):
        block = stored[key]
        assert_array_equal(block, table[key])
        assert block.dtype == np.float32
        assert block.flags.c_contiguous
    assert_array_equal(stored[table[:, 0] > 0], table[table[:, 0] > 0])
    assert_array_equal(np.asarray(stored), table)
    assert stored.pieces[0][0] == 0
    assert stored.pieces[-1][1] == N


@KIND
def test_columns_are_cut_without_reading(folder, table, kind):
    part = StoredTable(KINDS[kind](folder))[:, 1:4]
    assert part.shape == (N, 3)
    assert_array_equal(part[100:200], table[100:200, 1:4])
    assert_array_equal(part[:, 1:][5:7], table[5:7, 2:4])
    if kind in ("parquet", "parts", "dataset", "ipc"):
        assert part.columns == ["c1", "c2", "c3"]
    with pytest.raises(TypeError, match="cut by columns"):
        part[0:3, 1:2]


@KIND
def test_a_stored_table_travels(folder, table, kind):
    stored = StoredTable(KINDS[kind](folder))
    assert_array_equal(stored[:10], table[:10])
    again = pickle.loads(pickle.dumps(stored))
    assert_array_equal(again[90:110], table[90:110])


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, N), st.integers(0, 200)), max_size=8))
def test_any_order_of_reading_gives_the_rows(folder, table, places):
    stored = StoredTable(folder / "table.parquet")
    for start, size in places:
        assert_array_equal(stored[start : start + size], table[start : start + size])


def test_batches_that_end_inside_a_block(tmp_path):
    numbers = np.arange(2 * BATCH_ROWS + 10, dtype=np.float64)[:, None]
    pq.write_table(arrow_table(numbers), tmp_path / "long.parquet")
    stored = StoredTable(tmp_path / "long.parquet")
    for start in range(0, len(numbers), 5000):
        assert_array_equal(stored[start : start + 5000], numbers[start : start + 5000])


def test_kinds_of_numbers(tmp_path):
    frame = pd.DataFrame({"i": [1, 2, 3], "b": [True, False, True], "f": np.float32([0.5, 1.5, 2.5])}, index=[7, 8, 9])
    frame.to_parquet(tmp_path / "mixed.parquet")
    stored = StoredTable(tmp_path / "mixed.parquet")
    assert stored.columns == ["i", "b", "f"]
    assert stored.dtype == np.float64
    assert_array_equal(stored[:], [[1, 1, 0.5], [2, 0, 1.5], [3, 1, 2.5]])
    np.save(tmp_path / "counts.npy", np.arange(6, dtype=np.uint8).reshape(3, 2))
    counts = StoredTable(tmp_path / "counts.npy")
    assert counts[1:].dtype == np.float64
    assert_array_equal(counts[1:], [[2, 3], [4, 5]])


@KIND
def test_all_input_forms_go_through_the_door(folder, table, kind):
    source = KINDS[kind](folder)
    for X, names in (([source, table], ("view 0", "view 1")), ({"a": source, "b": table}, ("a", "b"))):
        views = check_views(X, lazy=True)
        assert isinstance(views.tables[0], StoredTable)
        assert views.names == names
        assert views.widths == (WIDTH, WIDTH)
        assert_array_equal(views[3:9].tables[0], table[3:9])
        again = check_views(views, lazy=True)
        assert isinstance(again.tables[0], StoredTable)
        assert_array_equal(check_views(X).tables[0], table)
    one = check_views(source, ranges=[2, 3], lazy=True)
    assert one.widths == (2, 3)
    assert_array_equal(one.tables[1][7:9], table[7:9, 2:])


def test_every_estimator_takes_files(folder, table):
    files = LMVSC(3, random_state=0).fit([folder / "table.npy", folder / "parts"])
    arrays = LMVSC(3, random_state=0).fit([table, table])
    assert_array_equal(files.labels_, arrays.labels_)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("kind", ["npy", "parquet"])
def test_a_number_that_is_not_finite_is_named_with_view_and_row(tmp_path, table, bad, kind):
    spoilt = table.copy()
    spoilt[700, 2] = bad
    spoilt[701, 3] = bad
    np.save(tmp_path / "t.npy", spoilt)
    pq.write_table(arrow_table(spoilt), tmp_path / "t.parquet")
    views = check_views({"image": table, "text": tmp_path / f"t.{kind}"}, lazy=True)
    assert_array_equal(views.tables[1][:700], table[:700])
    with pytest.raises(ValueError, match=r"View 'text' contains NaN or infinity, first in row 700\."):
        views.tables[1][600:800]
    with pytest.raises(ValueError, match=r"View 'view 1' .* row 700"):
        check_views(tmp_path / f"t.{kind}", ranges=[1, 4])


def test_a_missing_value_in_parquet_is_not_a_number(tmp_path):
    pq.write_table(pa.table({"a": [1, None, 3], "b": [1, 2, 3]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="row 1"):
        StoredTable(tmp_path / "t.parquet")[:]


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda path: path / "absent.parquet", FileNotFoundError, "View 'text': there is no file or folder"),
        (lambda path: path, ValueError, "View 'text': the folder .* holds no .parquet file"),
        (lambda path: write_text(path / "t.csv"), ValueError, "neither .npy nor Parquet"),
        (lambda path: write_text(path / "t.parquet"), ValueError, "View 'text': .*t.parquet' cannot be read"),
        (lambda path: write_text(path / "t.npy"), ValueError, "View 'text': .* is not a readable .npy file"),
        (lambda path: save(path, np.ones(3)), ValueError, "1 dimensions"),
        (lambda path: save(path, np.ones((3, 0))), ValueError, "has no columns"),
        (lambda path: save(path, np.array([["a"]])), ValueError, "not numbers"),
        (lambda path: save(path, np.asfortranarray(np.ones((3, 2)))), ValueError, "column by column"),
        (lambda path: parquet(path, {"word": ["a"]}), ValueError, "column 'word' of .* holds string"),
    ],
)
def test_what_is_no_table_is_named(tmp_path, make, error, message):
    with pytest.raises(error, match=message):
        check_views({"image": np.ones((3, 2)), "text": make(tmp_path)})


def write_text(path):
    path.write_text("1,2,3")
    return path


def save(path, array):
    np.save(path / "t.npy", array)
    return path / "t.npy"


def parquet(path, columns):
    pq.write_table(pa.table(columns), path / "t.parquet")
    return path / "t.parquet"


def test_views_of_different_length_are_named(tmp_path):
    with pytest.raises(ValueError, match="View 'text' has 2 rows but view 'image' has 3"):
        check_views({"image": np.ones((3, 2)), "text": save(tmp_path, np.ones((2, 2)))}, lazy=True)


@pytest.fixture
def wide(tmp_path):
    """Two row groups of 2,500 rows, much larger than what other threads allocate meanwhile, and what is in them."""
    table = np.random.default_rng(0).standard_normal((5000, 400), dtype=np.float32)
    columns = pa.table({f"c{j}": table[:, j] for j in range(400)})
    pq.write_table(columns, tmp_path / "x.parquet", row_group_size=2500)
    return table, tmp_path / "x.parquet"


def test_of_long_row_groups_a_piece_is_kept_and_of_longer_ones_a_batch(wide, monkeypatch):
    table, path = wide
    for pieces, whole, expected in ((700, 10_000, [0, 700, 1400, 2100]), (700, 2000, [0]), (10_000, 10_000, [0])):
        monkeypatch.setattr(arrow, "PIECE_ROWS", pieces)
        monkeypatch.setattr(arrow, "WHOLE_ROWS", whole)
        monkeypatch.setattr(arrow, "BATCH_ROWS", 600)
        stored = StoredTable(path)
        assert [start for start, _ in stored.pieces if start < 2500] == expected
        for start, stop in ((0, 300), (300, 650), (650, 2600), (2600, 5000), (1500, 1510), (699, 2801), (0, 5000)):
            assert_array_equal(stored[start:stop], table[start:stop])


@pytest.mark.parametrize("numbers, columns", [(2500 * 7, 32), (1, 32), (10**9, 3), (10**9, 40)])
def test_some_columns_are_decoded_at_a_time(wide, monkeypatch, numbers, columns):
    table, path = wide
    monkeypatch.setattr(arrow, "NUMBERS_AT_ONCE", numbers)
    monkeypatch.setattr(arrow, "COLUMNS_AT_ONCE", columns)
    assert_array_equal(StoredTable(path)[1000:3000], table[1000:3000])


def test_one_piece_is_held_and_none_at_its_end(wide):
    """Also while a block is read that begins in one row group and ends in the next."""
    table, path = wide
    stored, group = StoredTable(path), table[:2500].nbytes
    stored[0:10]  # so that libraries are there
    tracemalloc.start()
    try:
        for start in range(0, 5000, 400):
            assert_array_equal(stored[start : start + 400], table[start : start + 400])
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert group < peak < 1.9 * group
    assert held < 0.3 * group


def test_a_few_rows_do_not_hold_their_piece_and_a_whole_piece_is_not_copied(wide):
    _, path = wide
    stored = StoredTable(path)
    assert stored[10:20].base.nbytes == 10 * 400 * 4
    assert stored[0:2500].base.nbytes == 2500 * 400 * 4
    tracemalloc.start()
    try:
        whole = stored[0:2500]
        assert tracemalloc.get_traced_memory()[1] < 1.5 * whole.nbytes
    finally:
        tracemalloc.stop()


def test_streams_let_go_of_their_pages_at_the_end_of_a_row_group(wide, monkeypatch):
    table, path = wide
    monkeypatch.setattr(arrow, "WHOLE_ROWS", 1000)
    stored = StoredTable(path)
    before = pa.total_allocated_bytes()
    for start, stop, holds in ((0, 100, True), (100, 2500, False), (2500, 4000, True), (4000, 5000, False)):
        assert_array_equal(stored[start:stop], table[start:stop])
        assert (pa.total_allocated_bytes() > before) == holds


def test_a_filtered_data_set_is_told_what_to_do(wide):
    _, path = wide
    filtered = ds.dataset(path).filter(ds.field("c0") > 0)
    with pytest.raises(ValueError, match=r"View 'x': .*filtered.*write_dataset and give the folder"):
        StoredTable(filtered, name="x")


def test_a_parquet_file_without_rows_is_named(tmp_path):
    pq.ParquetWriter(tmp_path / "x.parquet", pa.schema([("c", pa.float32())])).close()
    with pytest.raises(ValueError, match=r"View 'x': .*x\.parquet' cannot be read: It has no rows"):
        check_views({"x": tmp_path / "x.parquet"}, lazy=True)


def test_rows_that_cannot_be_read_are_named(tmp_path, table):
    path = save(tmp_path, table)
    stored = StoredTable(path, name="text")
    with open(path, "r+b") as file:
        file.truncate(128 + 500 * WIDTH * 4)
    assert_array_equal(stored[:500], table[:500])
    with pytest.raises(OSError, match=r"View 'text': rows 450 … 549 of .*t.npy' cannot be read: the file is shorter"):
        stored[450:550]


def test_a_damaged_parquet_file_is_named(tmp_path, table):
    path = tmp_path / "t.parquet"
    pq.write_table(arrow_table(table), path, row_group_size=500, compression="gzip")
    stored = StoredTable(path, name="text")
    data = bytearray(path.read_bytes())
    data[200 : len(data) // 2] = bytes(len(data) // 2 - 200)
    path.write_bytes(data)
    with pytest.raises(OSError, match=r"View 'text': rows 0 … 999 of .*t.parquet' cannot be read"):
        stored[:1000]


@pytest.mark.parametrize(
    "first, second, message",
    [
        ({"a": [1.0]}, {"b": [1.0]}, r"part\.1\.parquet lacks the column 'a'"),
        ({"a": [1.0]}, {"a": [1.0], "b": [1.0]}, r"part\.1\.parquet has the column 'b'"),
        ({"a": [1.0]}, {"a": ["1.5"]}, r"column 'a' of .*part\.1\.parquet holds string"),
        ({"a": [1]}, {"a": [pd.Timestamp(0)]}, r"column 'a' of .*part\.1\.parquet holds timestamp"),
    ],
)
def test_parts_with_other_columns_are_named(tmp_path, first, second, message):
    for part, columns in enumerate((first, second)):
        pq.write_table(pa.table(columns), tmp_path / f"part.{part}.parquet")
    with pytest.raises(ValueError, match=f"View 'text': .*{message}"):
        StoredTable(tmp_path, name="text")


def test_parts_of_another_precision_or_order_are_read_as_they_are(tmp_path):
    pq.write_table(pa.table({"a": np.float32([1]), "b": np.float32([2])}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"b": [1e140], "a": [2**53 + 1]}), tmp_path / "1.parquet")
    stored = StoredTable(tmp_path)
    assert stored.dtype == np.float64
    assert_array_equal(stored[:], [[1, 2], [2**53, 1e140]])


def test_columns_of_one_name_are_refused(tmp_path):
    pq.write_table(pa.table([[1.0], [2.0]], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="duplicate field names"):
        StoredTable(tmp_path / "t.parquet")


def test_a_data_set_has_the_columns_of_its_schema(tmp_path):
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [3.0, 4.0], "word": ["x", "y"]}), tmp_path / "t.parquet")
    stored = StoredTable(ds.dataset(tmp_path / "t.parquet", schema=pa.schema([("b", pa.float32())])))
    assert (stored.columns, stored.dtype) == (["b"], np.float32)
    assert_array_equal(stored[:], [[3], [4]])
    (tmp_path / "k=1").mkdir()
    pq.write_table(pa.table({"a": [1.0]}), tmp_path / "k=1" / "t.parquet")
    with pytest.raises(ValueError, match=r"View 'view 0': .* lacks the column 'k'"):
        StoredTable(ds.dataset(tmp_path / "k=1" / "t.parquet", partitioning="hive", partition_base_dir=str(tmp_path)))


def test_files_that_others_keep_for_themselves_are_no_rows(tmp_path):
    (tmp_path / "_delta_log").mkdir()
    for name in (
        "0.parquet",
        "1.pq",
        "_delta_log/00010.checkpoint.parquet",
        ".part-1.tmp.parquet",
        "_metadata.parquet",
    ):
        pq.write_table(pa.table({"a": [float(len(name))]}), tmp_path / name)
    assert_array_equal(StoredTable(tmp_path)[:], [[9], [4]])


def indexed(path, ids, values, name="customer"):
    pd.DataFrame({"a": values}, index=pd.Index(ids, name=name)).to_parquet(path)
    return path


@pytest.mark.parametrize("name", ["customer", None])
def test_an_index_is_no_column_but_must_be_the_same_in_all_views(tmp_path, name):
    ids, values = np.arange(100_000, 100_000 + 2 * BATCH_ROWS), np.arange(2.0 * BATCH_ROWS)
    first = indexed(tmp_path / "0.parquet", ids, values, name)
    same = indexed(tmp_path / "1.parquet", ids.astype(np.int32), -values, name)
    other = ids.copy()
    other[[BATCH_ROWS + 5, BATCH_ROWS + 9]] = other[[BATCH_ROWS + 9, BATCH_ROWS + 5]]
    turned = indexed(tmp_path / "2.parquet", other, values, name)
    views = check_views({"x": first, "y": same, "z": values[:, None]}, lazy=True)
    assert views.widths == (1, 1, 1)
    assert_array_equal(views.tables[1][:3], [[0], [-1], [-2]])
    with pytest.raises(ValueError, match=rf"Row {BATCH_ROWS + 5} has the id 116389 in view 'x' and 116393 in view 'y'"):
        check_views({"x": first, "y": turned}, lazy=True)


def test_an_index_of_several_levels_is_compared_level_by_level(tmp_path):
    levels = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["site", "visit"])
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}, index=levels)
    frame.to_parquet(tmp_path / "0.parquet")
    frame.iloc[[0, 2, 1, 3]].to_parquet(tmp_path / "1.parquet")
    with pytest.raises(
        ValueError, match=r"Row 1 has the id \['a', .*2.*\] in view 'view 0' and \['b', .*1.*\] in view"
    ):
        check_views([tmp_path / "0.parquet", tmp_path / "1.parquet"], lazy=True)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = parquet(tmp_path, {"a": [1.0]})
    for name in ("pyarrow", "pyarrow.dataset", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"needs pyarrow: pip install 'manyview\[files\]'"):
        StoredTable(path)


def test_rows_outside_are_refused(table, tmp_path):
    stored = StoredTable(save(tmp_path, table))
    with pytest.raises(IndexError, match="rows 0 … 1002"):
        stored[np.array([N])]


def test_a_container_of_stored_tables(folder, table):
    views = Views([StoredTable(folder / "table.npy"), StoredTable(folder / "parts")])
    assert views.shape == (N, 2 * WIDTH)
    assert_array_equal(views[np.array([5, 3])].tables[1], table[[5, 3]])
