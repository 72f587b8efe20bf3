"""
A Dask cluster
==============

The same fit on a cluster: workers read the files and keep the rows, the caller sees small matrices and the labels. The
result has the same bits as in memory.

Two workers inside this process stand for a cluster; with ``distributed.Client("tcp://scheduler:8786")`` nothing else
changes.
"""

import tempfile
import time
from pathlib import Path

import distributed
import matplotlib.pyplot as plt
import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import make_views

data = make_views(n_samples=6_000, n_clusters=5, widths=(12, 30), random_state=0)
options = {"n_clusters": 5, "random_state": 0, "block_rows": 1_000}
start = time.perf_counter()
expected = AnchorGraphClustering(**options).fit(data.views)
seconds = {"memory": time.perf_counter() - start}

# %%
# While a client is active, files go to the workers by themselves.
with (
    tempfile.TemporaryDirectory() as folder,
    distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None),
):
    paths = {name: Path(folder) / f"{name}.npy" for name in data.views}
    for name, path in paths.items():
        np.save(path, data.views[name])
    start = time.perf_counter()
    model = AnchorGraphClustering(**options).fit(paths)
    seconds["Dask"] = time.perf_counter() - start
    kind = type(model.membership_).__module__.split(".")[0]
    same = np.array_equal(np.asarray(model.membership_), expected.membership_)
    print(f"memberships are a {kind} array, same bits as in memory: {same}")

# %%
# For data of this size a cluster only costs; it pays where the rows do not fit into one machine.
fig, ax = plt.subplots(figsize=(5, 2), layout="constrained")
ax.barh(list(seconds), list(seconds.values()), color="#0072b2")
ax.set(xlabel="seconds for 6,000 rows")
plt.show()
