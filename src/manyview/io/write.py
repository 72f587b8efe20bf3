"""Write a multi-view data set in a form that `read_views` reads: ``write_views(data, path)``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, issparse

from manyview.engine.optional import optional
from manyview.io.data import MultiViewData
from manyview.io.files import ID_NAMES, LABEL_NAMES
from manyview.io.whole import whole_file, whole_folder
from manyview.io.write_anndata import write_h5ad, write_h5mu


def write_views(
    data: MultiViewData,
    path: str | os.PathLike[str],
    *,
    tables: Literal["parquet", "csv"] = "parquet",
    overwrite: bool = False,
) -> None:
    """Write a data set to a file or a folder; whenever the process ends, it is there as a whole or not at all.

    Parameters
    ----------
    data : MultiViewData
        Views, labels, ids and names of columns.
    path : str or path
        The suffix says the format: ``.npz``, ``.mat`` (version 5), ``.h5mu``, or ``.h5ad`` for a single view. A path
        without a suffix becomes a folder with a table per view.
    tables : {"parquet", "csv"}
        Format of the tables in a folder.
    overwrite : bool
        Whether a file at `path` may be replaced. A folder never is.

    Raises
    ------
    FileExistsError
        There is something at `path`.
    ValueError
        The format cannot hold the data; the message says why and what to choose.

    Notes
    -----
    A folder is read back in the alphabetical order of its views, float32 as float64 from csv.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from manyview.io import MultiViewData, read_views, write_views
    >>> data = MultiViewData({"a": np.ones((3, 2)), "b": np.eye(3)}, ids=np.array(["x", "y", "z"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_views(data, Path(folder, "made.npz"))
    ...     read_views(Path(folder, "made.npz")).ids.tolist()
    ['x', 'y', 'z']
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if path.exists() and (path.is_dir() or not suffix or not overwrite):
        raise FileExistsError(f"{path}: is there already; " + ("remove it" if path.is_dir() else "say overwrite=True"))
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"{path}: its folder does not exist; create it first")
    if not suffix:
        if tables not in ("parquet", "csv"):
            raise ValueError(f"tables is {tables!r}; choose 'parquet' or 'csv'")
        with whole_folder(path) as folder:
            _write_tables(data, folder, tables)
        return
    writers = {".npz": _write_npz, ".mat": _write_mat, ".h5mu": write_h5mu, ".h5ad": write_h5ad}
    if suffix not in writers:
        raise ValueError(f"{path}: cannot write {suffix}; choose {', '.join(writers)}, or a folder without a suffix")
    with whole_file(path) as part:
        writers[suffix](data, part)


def _names(data: MultiViewData) -> dict[str, Any]:
    """Give names as arrays, to go with the matrices of an archive."""
    named: dict[str, Any] = {"view_names": np.array(list(data.views), dtype=np.str_)}
    if data.ids is not None:
        named["ids"] = data.ids
    for v, names in enumerate(data.feature_names.values()):
        if names is not None:
            named[f"feature_names_{v}"] = np.array(names, dtype=np.str_)
    return named


def _write_npz(data: MultiViewData, path: Path) -> None:
    arrays = _names(data)
    for v, view in enumerate(data.views.values()):
        if issparse(view):
            S = csr_matrix(view)
            parts = {"data": S.data, "indices": S.indices, "indptr": S.indptr, "shape": np.array(S.shape)}
            arrays |= {f"view_{v}_{part}": array for part, array in parts.items()}
        else:
            arrays[f"view_{v}"] = view
    if data.labels is not None:
        arrays["labels"] = data.labels
    np.savez(path, **arrays)


def _write_mat(data: MultiViewData, path: Path) -> None:
    from scipy.io import savemat

    variables: dict[str, Any] = {"X": _cell([view.tocsc() if issparse(view) else view for view in data.views.values()])}
    if data.labels is not None:
        variables["Y"] = data.labels[:, None] + 1.0
    for key, names in _names(data).items():
        variables[key] = _cell(names.tolist()) if names.dtype.kind == "U" else names[:, None]
    n_bytes = max(view.nnz * 16 if issparse(view) else view.nbytes for view in data.views.values())
    if n_bytes >= 2**31:
        raise ValueError(f"{path.name}: a view of {n_bytes} bytes is too large for .mat of version 5; choose .npz")
    savemat(path, variables, do_compression=True, oned_as="column")


def _cell(items: list[Any]) -> Any:
    """Make a MATLAB cell array, V x 1."""
    cell = np.empty((len(items), 1), dtype=object)
    for i, item in enumerate(items):
        cell[i, 0] = item
    return cell


def _write_tables(data: MultiViewData, folder: Path, tables: str) -> None:
    pa = optional("pyarrow", extra="files", use="Writing tables")
    for name, view in data.views.items():
        if name.lower() in LABEL_NAMES or not name or Path(name).name != name or name.startswith("."):
            raise ValueError(f"the view {name!r} cannot be the name of a table; rename it, or choose .npz")
        columns = data.feature_names[name] or [f"{name}_{j}" for j in range(view.shape[1])]
        _write_table(pa, _dense(view, name), list(columns), data.ids, folder / f"{name}.{tables}")
    if data.labels is not None:
        _write_table(pa, data.labels[:, None], ["label"], data.ids, folder / f"labels.{tables}")


def _write_table(pa: Any, matrix: Any, columns: list[str], ids: Any, path: Path) -> None:
    if any(column.lower() in ID_NAMES for column in columns) or len(set(columns)) < len(columns):
        raise ValueError(f"{path.stem}: its columns must have different names, none of which means an id")
    arrays = [pa.array(column) for column in np.asfortranarray(matrix).T]
    table = pa.table(arrays, names=columns)
    if ids is not None:
        table = table.add_column(0, "id", pa.array(ids.tolist()))
    if path.suffix == ".csv":
        optional("pyarrow.csv", extra="files", use="Writing csv").write_csv(table, path)
    else:
        optional("pyarrow.parquet", extra="files", use="Writing Parquet").write_table(table, path)


def _dense(view: Any, name: str) -> Any:
    if not issparse(view):
        return view
    if view.shape[0] * view.shape[1] > 2**27:
        raise ValueError(f"the view {name!r} is sparse of shape {view.shape}, too large for a table; choose .npz")
    return view.toarray()
