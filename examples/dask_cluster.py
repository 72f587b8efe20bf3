"""The same fit on a Dask cluster: workers read the files and keep the rows, the caller sees small matrices and labels.

Three worker processes on this machine stand for a cluster; with ``distributed.Client("tcp://scheduler:8786")`` nothing
else changes.
"""

import tempfile
from pathlib import Path

import dask.array as da
import distributed
import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import make_views


def main() -> None:
    """Fit files, then Dask arrays, and compare."""
    data = make_views(n_samples=6_000, n_clusters=5, widths=(12, 30), random_state=0)
    options = {"n_clusters": 5, "random_state": 0, "block_rows": 1_000}
    expected = AnchorGraphClustering(**options).fit(data.views)

    with (
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster),
    ):
        paths = {name: Path(folder) / f"{name}.npy" for name in data.views}
        for name, path in paths.items():
            np.save(path, data.views[name])
        on_files = AnchorGraphClustering(**options).fit(paths)  # a client is active: files are read by the workers
        on_arrays = AnchorGraphClustering(**options).fit(
            {name: da.from_array(table) for name, table in data.views.items()}
        )

        for source, model in {"files": on_files, "Dask arrays": on_arrays}.items():
            same = np.array_equal(np.asarray(model.membership_), expected.membership_)
            print(f"{source}: {type(model.membership_).__module__.split('.')[0]} array, same bits as in memory: {same}")


if __name__ == "__main__":  # worker processes import this file
    main()
