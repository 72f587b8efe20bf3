"""The one door for data in files: `read_views` for all views, `read_table` for a single table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from manyview.io.align import combine, spread
from manyview.io.data import MultiViewData
from manyview.io.files import TABLES, Choices, Limits, by_stem, request_for, stem_of, suffix_of, table_paths
from manyview.io.isolation import MEMORY_LIMIT, TIME_LIMIT, parse_or_raise
from manyview.io.layout import assemble
from manyview.io.matrices import check_labels
from manyview.io.tables import TableFile, as_ids, to_table
from manyview.io.values import RawTable, Unusable, Variables

PathLike: TypeAlias = str | os.PathLike[str]


def read_views(
    path: PathLike | Sequence[PathLike],
    *,
    id_column: str | None = None,
    header: bool | None = None,
    keys: Sequence[str] | None = None,
    widths: Sequence[int] | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> MultiViewData:
    """Read a multi-view data set from a file, a folder or several files.

    Parameters
    ----------
    path : str or path, or a sequence of them
        - several files, or a folder of them: one table per view, and a table ``labels`` if there are labels. Tables
          are ``.csv`` and ``.tsv`` (also ``.gz``, ``.zst``), ``.parquet``, ``.feather`` or ``.arrow``, ``.npy``,
          Matrix Market (``.mtx``, ``.mtx.gz``). If all tables have ids, rows are matched by them; if none has, by
          position.
        - ``.mat``: views in a cell array (``X``, ``fea``, ``data``) or as ``X1, X2, ...``; labels in ``Y``, ``y``,
          ``gt``, ``truelabel`` or the like.
        - ``.npz``: ``view_0, view_1, ...`` and ``labels``; a sparse view as ``view_0_data``, ``_indices``, ``_indptr``
          and ``_shape``.
        - ``.h5mu``: a view per modality. A sample that a modality lacks becomes a row of NaN.
        - ``.h5ad``: ``X``, or the parts named by `keys`.
        - ``.xlsx``: a view per sheet, and a sheet ``labels``.

        csv, Parquet, Feather, ``.mat`` 7.3, ``.h5ad`` and ``.h5mu`` need ``manyview[files]``, Excel
        ``manyview[excel]``.
    id_column : str, optional
        Column that holds the ids of the samples. By default the index that pandas stored, or a column named ``id``,
        ``ids``, ``sample_id``, ``index`` or without a name.
    header : bool, optional
        Whether csv files begin with the names of the columns. By default that is judged, see :func:`read_table`.
    keys : sequence of str, optional
        Parts of a ``.h5ad`` (``X``, ``layers/counts``, ``obsm/X_pca``), a ``.h5mu`` (``rna``, ``rna/layers/counts``)
        or an ``.xlsx`` (sheets) that are views.
    widths : sequence of int, optional
        Columns of each view. Needed only for a sparse view stored as (row, column, value) triples whose last columns
        are empty: the file does not tell. Any other view must have exactly these widths.
    time_limit : float
        Seconds that reading one file may take.
    memory_limit : int
        Bytes that reading may take, where the operating system can enforce it.

    Returns
    -------
    MultiViewData
        Views of float32 or float64 with samples as rows, sparse ones in CSR form; labels counted from 0; ids and names
        of columns where the files have them. A row that a table leaves empty is NaN throughout: a view that the sample
        lacks.

    Raises
    ------
    ValueError
        A file is damaged, is no regular file, or its parts do not fit each other. The message begins with the path.
    DataNotPresent
        There is no such file.
    ImportError
        A library is not installed; the message names the extra.

    Notes
    -----
    Files are parsed in a process of its own: parsers can crash on a damaged file, or use up all memory. Nothing is
    unpickled, and links from an HDF5 file into other files are refused.

    Labels decide which side of a view in ``.mat`` or ``.npz`` counts the samples; a square view is taken as it lies.
    Without labels the views must agree on their rows or, failing that, on their columns.

    What a reader cannot see: a flipped bit inside a number, or a label changed into another one, where the format has
    no checksum (uncompressed ``.mat``, csv, most Parquet files). Names with a checksum, see
    :func:`manyview.datasets.register`, do. Nor can it see rows lost from the end of the only table, a file cut exactly
    between two variables, or tables without ids whose rows are in different order. Labels are known by their name:
    under an unusual one they are not found, and ``labels`` is None.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from manyview.io import read_views
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "tiny.npz"), view_0=np.ones((3, 2)), view_1=np.eye(3), labels=[1, 1, 2])
    ...     read_views(Path(folder, "tiny.npz"))
    MultiViewData('tiny', n_samples=3, views={'view_0': 2, 'view_1': 3}, n_clusters=2)
    """
    limits, choices = Limits(time_limit, memory_limit).check(), Choices(id_column, header, keys)
    if isinstance(path, str | os.PathLike):
        source = Path(path)
        if source.is_dir():
            data = _read_tables(table_paths(source), str(source), source.name, limits, choices)
        elif suffix_of(source) in TABLES:
            data = _read_tables({stem_of(source): source}, str(source), stem_of(source), limits, choices)
        else:
            return _read_container(source, limits, choices, widths)
    else:
        paths = [Path(one) for one in path]
        where = ", ".join(map(str, paths))
        data = _read_tables(by_stem(paths, where), where, _common_name(paths), limits, choices)
    if widths is not None and tuple(widths) != data.n_features:
        raise ValueError(f"{path}: the views have {data.n_features} columns where widths says {tuple(widths)}")
    return data


def read_table(
    path: PathLike,
    *,
    id_column: str | None = None,
    header: bool | None = None,
    key: str | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> TableFile:
    """Read one table from a file, columns of any type.

    Parameters
    ----------
    path : str or path
        A table as in :func:`read_views`, or a ``.h5ad`` file, or an ``.xlsx`` file.
    id_column, header, time_limit, memory_limit
        As in :func:`read_views`.
    key : str, optional
        Which part of a ``.h5ad`` file (``X`` by default), or which sheet of an ``.xlsx`` file with several.

    Returns
    -------
    TableFile
        The table as it stands in the file: an Arrow table, an array or a CSR matrix, and ids and names of columns.

    Notes
    -----
    The first row of a csv file is taken as the header if it has the name of an id column, or no number, or reads
    ``0,1,2,...``, or if a column has a text there and numbers below. A first row of numbers is a sample, unless they
    rise or fall in equal steps, like years, and those of other rows do not: then you are asked for ``header=``.

    The delimiter is a tab, a semicolon or a comma, the decimal point may be a comma where that is not the delimiter,
    and the encoding is UTF-8, UTF-16 (with its mark) or otherwise Latin-1.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from manyview.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "clinic.csv")
    ...     _ = path.write_text("id;age;stage\\nP07;61,5;II\\nP09;47;I\\n")
    ...     table = read_table(path)
    >>> table.ids.tolist(), table.frame.to_pylist()
    (['P07', 'P09'], [{'age': 61.5, 'stage': 'II'}, {'age': 47.0, 'stage': 'I'}])
    """
    limits = Limits(time_limit, memory_limit).check()
    (table,) = _tables([Path(path)], limits, Choices(id_column, header, None if key is None else [key]))
    return table


def _read_tables(paths: dict[str, Path], where: str, name: str, limits: Limits, choices: Choices) -> MultiViewData:
    if not paths:
        raise ValueError(f"{where}: has no table; a table is one of {', '.join(TABLES)}")
    tables = dict(zip(paths, _tables(list(paths.values()), limits, choices), strict=True))
    return combine(tables, {key: str(path) for key, path in paths.items()}, where=where, name=name)


def _tables(paths: Sequence[Path], limits: Limits, choices: Choices) -> list[TableFile]:
    requests = [request_for(path, limits, choices) for path in paths]
    for kind, path, _ in requests:
        if kind in ("mat5", "mat73", "npz", "h5mu"):
            raise ValueError(f"{path}: holds several views; read it by itself, with read_views")
    answers = parse_or_raise(requests, **limits._asdict())
    return [_only_table(variables, path, choices.id_column) for path, variables in zip(paths, answers, strict=True)]


def _only_table(variables: Variables, path: Path, id_column: str | None) -> TableFile:
    found = {key: value for key, value in variables if isinstance(value, RawTable)}
    if len(found) != 1:
        raise ValueError(f"{path}: holds {len(found)} tables {list(found)}; choose one with key=")
    return to_table(next(iter(found.values())), str(path), stem_of(path), id_column=id_column)


def _read_container(path: Path, limits: Limits, choices: Choices, widths: Sequence[int] | None) -> MultiViewData:
    request = request_for(path, limits, choices)
    (variables,) = parse_or_raise([request], **limits._asdict())
    if request.kind in ("mat5", "mat73", "npz"):
        return assemble(variables, source=str(path), name=stem_of(path), widths=widths)
    data = _from_tables(variables, path, choices.id_column)
    if widths is not None and tuple(widths) != data.n_features:
        raise ValueError(f"{path}: the views have {data.n_features} columns where widths says {tuple(widths)}")
    return data


def _from_tables(variables: Variables, path: Path, id_column: str | None) -> MultiViewData:
    """Make a data set of the tables of one file, and of labels and ids that hold for all of them."""
    raw = {key: value for key, value in variables if isinstance(value, RawTable)}
    if len(raw) < sum(isinstance(value, RawTable) for _, value in variables):
        raise ValueError(f"{path}: two of its tables have the same name among {list(raw)}")
    samples = raw.pop("", None)
    tables = {key: to_table(value, f"{path}: {key}", key, id_column=id_column) for key, value in raw.items()}
    if samples is not None and isinstance(samples.content, Unusable) and samples.ids is not None:
        tables = spread(tables, as_ids(samples.ids, str(path)), str(path))
    data = combine(tables, {key: f"{path}: {key}" for key in tables}, where=str(path), name=stem_of(path))
    labels = next(((key, value) for key, value in variables if isinstance(value, np.ndarray)), None)
    if labels is None:
        return data
    found = check_labels(labels[1], f"{path}: {labels[0]}")
    return MultiViewData(data.views, found, data.name, ids=data.ids, feature_names=data.feature_names)


def _common_name(paths: Sequence[Path]) -> str:
    folders = {path.absolute().parent for path in paths}
    return (folders.pop().name if len(folders) == 1 else "") or "data"
