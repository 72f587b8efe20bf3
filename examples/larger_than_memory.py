"""Views that stay on disk: a fit from Parquet files, and labels for further files."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index

N, WIDTHS = 30_000, (12, 30)
data = make_views(n_samples=N, n_clusters=5, widths=WIDTHS, separation=3.0, random_state=0)

with tempfile.TemporaryDirectory() as name:
    folder, paths = Path(name), {}
    for view, table in data.views.items():  # a folder of Parquet files each, as Spark, Dask or DuckDB write them
        paths[view] = folder / view
        paths[view].mkdir()
        for part, rows in enumerate(np.array_split(table.astype(np.float32), 4)):
            columns = {f"{view}:{j}": rows[:, j] for j in range(rows.shape[1])}
            pq.write_table(pa.table(columns), paths[view] / f"part.{part}.parquet")

    model = AnchorGraphClustering(n_clusters=5, random_state=0, scratch=folder)
    model.fit(paths)
    print(f"labels of {len(model.labels_):,} rows, ARI {adjusted_rand_index(data.labels, model.labels_):.3f}")
    print("memberships stay on disk, mapped into memory:", model.membership_.shape)

    in_memory = AnchorGraphClustering(n_clusters=5, random_state=0).fit(
        {v: t.astype(np.float32) for v, t in data.views.items()}
    )
    print("the same bits as in memory:", np.array_equal(model.membership_, in_memory.membership_))
    print("predict reads files as well:", np.array_equal(model.predict(paths), model.labels_))
