"""
Larger than memory
==================

Views that stay on disk: a fit from folders of Parquet files, as Spark, Dask or DuckDB write them, and labels for
further files. The result has the same bits as in memory.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index
from manyview.plotting import MapDisplay

N, WIDTHS = 8_000, (12, 30)
data = make_views(n_samples=N, n_clusters=5, widths=WIDTHS, separation=3.0, random_state=0)

with tempfile.TemporaryDirectory() as name:
    folder, paths = Path(name), {}
    for view, table in data.views.items():
        paths[view] = folder / view
        paths[view].mkdir()
        for part, rows in enumerate(np.array_split(table.astype(np.float32), 4)):
            columns = {f"{view}:{j}": rows[:, j] for j in range(rows.shape[1])}
            pq.write_table(pa.table(columns), paths[view] / f"part.{part}.parquet")

    model = AnchorGraphClustering(n_clusters=5, random_state=0, scratch=folder).fit(paths)
    print(f"labels of {len(model.labels_):,} rows, ARI {adjusted_rand_index(data.labels, model.labels_):.3f}")
    print("memberships stay on disk, mapped into memory:", model.membership_.shape)

    in_memory = AnchorGraphClustering(n_clusters=5, random_state=0).fit(
        {v: t.astype(np.float32) for v, t in data.views.items()}
    )
    print("the same bits as in memory:", np.array_equal(model.membership_, in_memory.membership_))
    print("predict reads files as well:", np.array_equal(model.predict(paths), model.labels_))

    # %%
    # The map draws a sample of the rows.
    MapDisplay.from_estimator(model)
plt.show()
