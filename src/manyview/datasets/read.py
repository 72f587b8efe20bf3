"""One door for files: ``read_views(path)``."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from manyview.datasets._data import DataNotPresent, MultiViewData
from manyview.datasets._folder import read_folder
from manyview.datasets._isolation import MEMORY_LIMIT, TIME_LIMIT, parse_one
from manyview.datasets._layout import assemble
from manyview.datasets._npz import read_npz

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def read_views(
    path: str | os.PathLike[str],
    *,
    widths: Sequence[int] | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> MultiViewData:
    """Read a multi-view data set from a file or a folder.

    Parameters
    ----------
    path : str or path
        - ``.mat``: views in a cell array (``X``, ``fea``, ``data``) or as ``X1, X2, ...``; labels in ``Y``, ``y``,
          ``gt``, ``truelabel`` or the like. Version 7.3 needs h5py (``manyview[files]``).
        - ``.npz``: ``view_0, view_1, ...`` and ``labels``; a sparse view as ``view_0_data``, ``_indices``, ``_indptr``
          and ``_shape``.
        - a folder: one ``.csv`` or ``.parquet`` table per view and a table ``labels``. If all tables have a column
          ``id``, rows are matched by it; if none has, by position. Parquet needs pyarrow (``manyview[files]``).
    widths : sequence of int, optional
        Columns of each view. Needed only for a sparse view stored as (row, column, value) triples whose last columns
        are empty: the file does not tell. Any other view must have exactly these widths.
    time_limit : float
        Seconds that the parser may take for one ``.mat`` or ``.parquet`` file.
    memory_limit : int
        Bytes that the parser of these may use, where the operating system can enforce it.

    Returns
    -------
    MultiViewData
        Views of float32 or float64 with samples as rows, sparse ones in CSR form; labels counted from 0. A row that
        a table leaves empty is NaN throughout: a view that the sample lacks.

    Raises
    ------
    ValueError
        The file is damaged or its parts do not fit each other. The message says what was found.
    DataNotPresent
        There is no such file.

    Notes
    -----
    ``.mat`` and ``.parquet`` are parsed in a process of its own: their parsers can crash on a damaged file.

    Labels decide which side of a view counts the samples; a square view is taken as it lies. Without labels the views
    must agree on their rows or, failing that, on their columns.

    What a reader cannot see: a flipped bit inside a number, or a label changed into another one, where the format has
    no checksum (uncompressed ``.mat``, csv, most parquet files). Names with a checksum, see :func:`register`, do.
    Nor can it see rows lost from the end of the only table of a folder, a file cut exactly between two variables, or
    tables without ids whose rows are in different order. Labels are known by their name: under an unusual one they are
    not found, and ``labels`` is None.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from manyview.datasets import read_views
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "tiny.npz"), view_0=np.ones((3, 2)), view_1=np.eye(3), labels=[1, 1, 2])
    ...     read_views(Path(folder, "tiny.npz"))
    MultiViewData('tiny', n_samples=3, views={'view_0': 2, 'view_1': 3}, n_clusters=2)
    """
    if not 0 < time_limit <= 1e6:
        raise ValueError(f"time_limit is {time_limit}; it must lie between 0 and a million seconds")
    if memory_limit < 1:
        raise ValueError(f"memory_limit is {memory_limit}; it must be a positive number of bytes")
    path = Path(path)
    if not path.exists():
        raise DataNotPresent(f"{path}: there is no such file or folder")
    if path.is_dir():
        data = read_folder(path, name=path.name, time_limit=time_limit, memory_limit=memory_limit)
        if widths is not None and tuple(widths) != data.n_features:
            raise ValueError(f"{path}: the views have {data.n_features} columns where widths says {tuple(widths)}")
        return data
    match path.suffix.lower():
        case ".npz":
            variables = read_npz(path)
        case ".mat":
            variables = parse_one(_mat_kind(path), path, time_limit=time_limit, memory_limit=memory_limit)
        case suffix:
            raise ValueError(f"{path}: cannot read {suffix or 'a file without suffix'}; give .mat, .npz or a folder")
    return assemble(variables, source=str(path), name=path.stem, widths=widths)


def _mat_kind(path: Path) -> str:
    with open(path, "rb") as file:
        head = file.read(520)
    # MATLAB puts 512 bytes of its own before the HDF5 file, other writers none
    if HDF5_SIGNATURE not in (head[:8], head[512:520]):
        return "mat5"
    if importlib.util.find_spec("h5py") is None:
        raise ImportError(f"{path}: a .mat file of version 7.3 needs h5py; install manyview[files]")
    return "mat73"
