import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from manyview.io import align
from manyview.io.align import spread
from manyview.io.tables import TableFile, as_ids, to_labels, to_table
from manyview.io.values import RawTable, Unusable


@pytest.mark.parametrize(
    "values, ids",
    [
        ([7, 8], [7, 8]),
        (["7", "8"], [7, 8]),
        ([7.0, 8.0], [7, 8]),
        (["007", "8"], ["007", "8"]),
        (["-7", "8"], [-7, 8]),
        (["-0", "8"], ["-0", "8"]),
        ([7.5, 8.0], ["7.5", "8"]),
        (["٣", "4"], ["٣", "4"]),
        ([2**70, 1], [str(2**70), "1"]),
        (["a", "7"], ["a", "7"]),
    ],
)
def test_ids_are_whole_numbers_where_that_loses_nothing(values, ids):
    assert as_ids(values, "a.csv").tolist() == ids


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text("0123456789-.a", min_size=1, max_size=4), min_size=1, max_size=6, unique=True))
def test_ids_come_back_as_the_same_text(texts):
    assert [str(one) for one in as_ids(texts, "a.csv").tolist()] == texts


def test_index_of_pandas_is_the_ids():
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index(["p", "q"], name="patient"))
    table = to_table(RawTable(pa.Table.from_pandas(frame), None, ["x", "patient"]), "a.parquet", "a")
    assert (table.ids.tolist(), table.feature_names) == (["p", "q"], ("x",))


def test_number_of_names_must_fit():
    with pytest.raises(ValueError, match=r"a\.h5ad has 3 rows and 2 names for them"):
        to_table(RawTable(np.eye(3), ["a", "b"], None), "a.h5ad", "a")


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ValueError, match=r"a\.h5ad holds values of type object"):
        to_table(RawTable(Unusable("values of type object"), None, None), "a.h5ad", "a")


@pytest.mark.parametrize("values, row", [(["a", None], 1), (["", "b"], 0), ([1, None], 1)])
def test_every_sample_needs_its_label(values, row):
    with pytest.raises(ValueError, match=f"labels.csv: row {row} has no label"):
        to_labels(TableFile("labels", pa.table({"label": values})), "labels.csv")


def test_a_sparse_table_with_missing_rows_becomes_dense_unless_large(monkeypatch):
    table = TableFile("rna", csr_matrix([[0, 2.0], [3, 0]]), np.array(["b", "a"]))
    found = spread({"rna": table}, np.array(["a", "b", "c"]), "x.h5mu")["rna"].frame
    np.testing.assert_array_equal(found, [[3, 0], [0, 2], [np.nan, np.nan]])
    monkeypatch.setattr(align, "MAX_DENSE", 5)
    with pytest.raises(ValueError, match=r"x\.h5mu: rna lacks 1 samples, and a sparse view of this size cannot"):
        spread({"rna": table}, np.array(["a", "b", "c"]), "x.h5mu")
    with pytest.raises(ValueError, match=r"rna has 1 samples that the file as a whole lacks, such as \['b'\]"):
        spread({"rna": table}, np.array(["a", "c"]), "x.h5mu")
