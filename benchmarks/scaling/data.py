"""The benchmark's rows: three views of float32 columns around K centers, in memory or in Parquet; and words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

WIDTHS = (20, 50, 30)
K = 10
CHUNK = 100_000  # rows, and those of a row group
OVERLAP = 0.35  # distance of the cluster centers in units of the noise, a column
REUTERS = (21_531, 24_892, 34_251, 15_506, 11_547)  # words of five languages
DOCUMENTS, TOPICS = 18_758, 6


def chunk_of_views(
    start: int, n_rows: int, widths: Sequence[int] = WIDTHS, n_clusters: int = K
) -> tuple[list[Any], Any]:
    """Rows start … start + n of the views: the same for any total number of rows."""
    rng = np.random.default_rng(1)
    centers = [OVERLAP * rng.standard_normal((n_clusters, width)) for width in widths]
    rng = np.random.default_rng((2, start))
    labels = rng.integers(0, n_clusters, n_rows)
    return [(c[labels] + rng.standard_normal((n_rows, c.shape[1]))).astype(np.float32) for c in centers], labels


def views_of(n_rows: int, widths: Sequence[int] = WIDTHS, n_clusters: int = K) -> tuple[list[Any], Any]:
    """All rows in memory."""
    views = [np.empty((n_rows, width), np.float32) for width in widths]
    labels = np.empty(n_rows, int)
    for start in range(0, n_rows, CHUNK):
        size = min(CHUNK, n_rows - start)
        parts, labels[start : start + size] = chunk_of_views(start, size, widths, n_clusters)
        for view, part in zip(views, parts, strict=True):
            view[start : start + size] = part
    return views, labels


def paths_of(folder: Path, n_views: int) -> list[str]:
    """Where the views are written."""
    return [str(folder / f"view-{v}.parquet") for v in range(n_views)]


def parquet_of(n_rows: int, folder: Path, widths: Sequence[int] = WIDTHS, n_clusters: int = K) -> list[str]:
    """The same rows in Parquet files, written chunk by chunk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    paths = paths_of(folder, len(widths))
    schemas = [pa.schema([(f"c{j}", pa.float32()) for j in range(width)]) for width in widths]
    writers = [pq.ParquetWriter(path, schema) for path, schema in zip(paths, schemas, strict=True)]
    for start in range(0, n_rows, CHUNK):
        parts, _ = chunk_of_views(start, min(CHUNK, n_rows - start), widths, n_clusters)
        for writer, part, schema in zip(writers, parts, schemas, strict=True):
            writer.write_table(pa.table(list(part.T), schema=schema))
    for writer in writers:
        writer.close()
    return paths


def words() -> tuple[list[Any], Any]:
    """Five sparse views in the shape of Reuters, 0.4 % of the entries; three tenths of the words are of the topic."""
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    labels = rng.integers(0, TOPICS, DOCUMENTS)
    views = []
    for width in REUTERS:
        drawn = rng.zipf(1.3, (DOCUMENTS, int(0.004 * width))) % width
        own = rng.random(drawn.shape) < 0.3
        drawn = np.where(own, (drawn * TOPICS + labels[:, None]) % width, drawn)
        rows = np.repeat(np.arange(DOCUMENTS), drawn.shape[1])
        views.append(sp.csr_array((np.ones(drawn.size), (rows, drawn.ravel())), shape=(DOCUMENTS, width)))
    return views, labels
