"""Speed between commits, under asv: what people wait for, and what they call often. See `make compare`.

asv runs these on two commits in turn and prints the ratio of every time; scikit-learn's k-means on the same data is the
yardstick of the machine.
"""

import tempfile
from pathlib import Path
from typing import Literal

import numpy as np
from sklearn.cluster import KMeans

import manyview
from manyview.datasets import load_digits_views, make_views
from manyview.io import read_views, write_views


class Fit:
    """A whole fit, and that of its yardstick."""

    params = ([2_000, 20_000],)
    param_names = ("rows",)
    timeout = 300

    def setup(self, n_rows: int) -> None:
        self.views = list(make_views(n_rows, 10, widths=(20, 50, 30), random_state=0).views.values())
        self.joined = np.hstack(self.views)

    def time_default(self, n_rows: int) -> None:
        manyview.AnchorGraphClustering(10, random_state=0, n_jobs=1).fit(self.views)

    def time_kmeans(self, n_rows: int) -> None:
        KMeans(10, n_init=1, random_state=0).fit(self.joined)


class OneRow:
    """Predictions of single rows, as in a service."""

    def setup(self) -> None:
        self.views = list(load_digits_views().views.values())
        self.row = [view[:1] for view in self.views]
        self.joined = np.hstack(self.row)
        self.model = manyview.AnchorGraphClustering(10, random_state=0).fit(self.views)
        self.yardstick = KMeans(10, n_init=1, random_state=0).fit(np.hstack(self.views))

    def time_predict(self) -> None:
        self.model.predict(self.row)

    def time_kmeans(self) -> None:
        self.yardstick.predict(self.joined)


class Files:
    """Reading what was written."""

    params = (["csv", "parquet"],)
    param_names = ("tables",)

    def setup(self, tables: Literal["csv", "parquet"]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "views")
        write_views(make_views(2_000, 5, random_state=0), self.path, tables=tables)

    def teardown(self, tables: str) -> None:
        self.folder.cleanup()

    def time_read(self, tables: str) -> None:
        read_views(self.path)
