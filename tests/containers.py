"""One way to make every container of the table in docs/input.md, from the same two tables of numbers.

A maker takes the tables by name, the ids of the rows of each table, and a folder for files.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview import Views
from manyview.io import MultiViewData, read_views

Tables = dict[str, np.ndarray]
IDS = np.array([f"s{i:03d}" for i in range(80)])
OPTIONS: dict[str, dict[str, Any]] = {
    "polars DataFrames": {"id_column": "id"},
    "Arrow tables": {"id_column": "id"},
    "AnnData": {"views": {"first": "X", "second": "obsm/second"}},
}
OWN_ORDER = ("pandas DataFrames", "polars DataFrames", "Arrow tables", "MuData", "files of `read_views`")


def one_order(ids: dict[str, Any]) -> Any:
    """The ids of a container whose views share one order of rows."""
    first, *others = ids.values()
    assert all(np.array_equal(first, other) for other in others)
    return first


def pandas_frames(tables: Tables, ids: Any, folder: Path) -> Any:
    import pandas as pd

    return {
        name: pd.DataFrame(table, index=ids[name], columns=[f"c{j}" for j in range(table.shape[1])])
        for name, table in tables.items()
    }


def polars_frames(tables: Tables, ids: Any, folder: Path) -> Any:
    import polars as pl

    return {
        name: pl.DataFrame({"id": ids[name].tolist()} | {f"c{j}": column for j, column in enumerate(table.T)})
        for name, table in tables.items()
    }


def arrow_tables(tables: Tables, ids: Any, folder: Path) -> Any:
    import pyarrow as pa

    return {
        name: pa.table({"id": ids[name].tolist()} | {f"c{j}": column for j, column in enumerate(table.T)})
        for name, table in tables.items()
    }


def annotated(tables: Tables, ids: Any, folder: Path) -> Any:
    import anndata
    import pandas as pd

    obs = pd.DataFrame(index=one_order(ids))
    return anndata.AnnData(X=tables["first"], obs=obs, obsm={"second": tables["second"]})


def modalities(tables: Tables, ids: Any, folder: Path) -> Any:
    import anndata
    import mudata
    import pandas as pd

    with mudata.set_options(pull_on_update=False):
        return mudata.MuData(
            {
                name: anndata.AnnData(
                    X=table,
                    obs=pd.DataFrame(index=ids[name]),
                    var=pd.DataFrame(index=[f"{name}:{j}" for j in range(table.shape[1])]),
                )
                for name, table in tables.items()
            }
        )


def npy_files(tables: Tables, ids: Any, folder: Path) -> Any:
    for name, table in tables.items():
        np.save(folder / f"{name}.npy", table)
    return {name: folder / f"{name}.npy" for name in tables}


def parquet_files(tables: Tables, ids: Any, folder: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, table in tables.items():
        pq.write_table(pa.table({f"c{j}": column for j, column in enumerate(table.T)}), folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in tables}


def csv_files(tables: Tables, ids: Any, folder: Path) -> Any:
    import pandas as pd

    for name, table in tables.items():
        frame = pd.DataFrame(table, index=pd.Index(ids[name], name="id")).add_prefix("c")
        frame.to_csv(folder / f"{name}.csv")
    return read_views([folder / f"{name}.csv" for name in tables])


def wide_frame(tables: Tables, ids: Any, folder: Path) -> Any:
    import pandas as pd

    parts = {name: pd.DataFrame(table, index=one_order(ids)).add_prefix("c") for name, table in tables.items()}
    return pd.concat(parts, axis=1)


def tensors(tables: Tables, ids: Any, folder: Path) -> Any:
    import torch

    return {name: torch.from_numpy(table) for name, table in tables.items()}


def sparse(tables: Tables, ids: Any, folder: Path) -> Any:
    return {name: sp.csr_matrix(np.where(np.isnan(table), 0.0, table)) for name, table in tables.items()}


MAKERS: dict[str, Callable[[Tables, Any, Path], Any]] = {
    "NumPy arrays, list or dict": lambda tables, ids, folder: tables,
    "SciPy sparse matrices": sparse,
    "pandas DataFrames": pandas_frames,
    "one pandas DataFrame, MultiIndex columns": wide_frame,
    "polars DataFrames": polars_frames,
    "Arrow tables": arrow_tables,
    "AnnData": annotated,
    "MuData": modalities,
    "`MultiViewData`": lambda tables, ids, folder: MultiViewData(dict(tables), None, "made", one_order(ids)),
    "`Views`": lambda tables, ids, folder: Views(list(tables.values()), list(tables), ids=one_order(ids)),
    "files of `read_views`": csv_files,
    "`.npy` files": npy_files,
    "Parquet files": parquet_files,
    "PyTorch tensors on the CPU": tensors,
}
