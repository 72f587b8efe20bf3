"""One way to make every container of the table in docs/input.md, from the same two tables of numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from manyview import Views
from manyview.io import MultiViewData

Tables = dict[str, np.ndarray]
IDS = np.array([f"s{i:03d}" for i in range(80)])


def pandas_frames(tables: Tables, ids: Any, folder: Path) -> Any:
    import pandas as pd

    return {
        name: pd.DataFrame(table, index=ids, columns=[f"c{j}" for j in range(table.shape[1])])
        for name, table in tables.items()
    }


def polars_frames(tables: Tables, ids: Any, folder: Path) -> Any:
    import polars as pl

    return {
        name: pl.DataFrame({"id": ids.tolist()} | {f"c{j}": column for j, column in enumerate(table.T)})
        for name, table in tables.items()
    }


def arrow_tables(tables: Tables, ids: Any, folder: Path) -> Any:
    import pyarrow as pa

    return {
        name: pa.table({"id": ids.tolist()} | {f"c{j}": column for j, column in enumerate(table.T)})
        for name, table in tables.items()
    }


def annotated(tables: Tables, ids: Any, folder: Path) -> Any:
    import anndata
    import pandas as pd

    first, second = tables.values()
    return anndata.AnnData(X=first, obs=pd.DataFrame(index=ids), obsm={"second": second})


def modalities(tables: Tables, ids: Any, folder: Path) -> Any:
    import anndata
    import mudata
    import pandas as pd

    with mudata.set_options(pull_on_update=False):
        return mudata.MuData(
            {
                name: anndata.AnnData(
                    X=table,
                    obs=pd.DataFrame(index=ids),
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


def sparse(tables: Tables, ids: Any, folder: Path) -> Any:
    return {name: sp.csr_matrix(np.where(np.isnan(table), 0.0, table)) for name, table in tables.items()}


MAKERS: dict[str, Callable[[Tables, Any, Path], Any]] = {
    "NumPy arrays, list or dict": lambda tables, ids, folder: tables,
    "SciPy sparse matrices": sparse,
    "pandas DataFrames": pandas_frames,
    "polars DataFrames": polars_frames,
    "Arrow tables": arrow_tables,
    "AnnData": annotated,
    "MuData": modalities,
    "`MultiViewData` of the readers": lambda tables, ids, folder: MultiViewData(dict(tables), None, "made", ids),
    "`Views`": lambda tables, ids, folder: Views(list(tables.values()), list(tables), ids=ids),
    "`.npy` files": npy_files,
    "Parquet files": parquet_files,
}
