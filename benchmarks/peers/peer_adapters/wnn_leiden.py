"""Weighted nearest neighbors of several tables, then Leiden communities of their graph.

Per view principal components and unit rows, then neighbors, as the tutorials of muon and scanpy do. Leiden has a
resolution and no number of clusters: the resolution is halved and doubled, then bisected, until the number of
communities is K. Labels play no part in it. Where no resolution gives K, the closest number of communities stands.
"""

from __future__ import annotations

import warnings
from typing import Any

import anndata
import mudata
import muon
import numpy as np
import scanpy

N_COMPONENTS = 50  # the default of scanpy.pp.pca
N_CANDIDATES = 200  # the default of muon.pp.neighbors
MAX_RUNS = 30  # of Leiden in the search for K


class WNNLeiden:
    """The packages ``muon``, ``scanpy`` and ``leidenalg`` with their defaults.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    resolution_ : float
        At which the number of communities was closest to `n_clusters`.
    """

    def __init__(self, n_clusters: int, *, random_state: int = 0) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, views: list[Any]) -> WNNLeiden:
        """Make the graph of all views, and search the resolution."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about defaults that will change, and names of observations
            self._data = self._graph(views)
            self.labels_, self.resolution_ = self._search()
        return self

    def _graph(self, views: list[Any]) -> Any:
        n_samples = views[0].shape[0]
        tables = {}
        for v, view in enumerate(views):
            table = anndata.AnnData(view)
            n_components = min(N_COMPONENTS, n_samples - 1, view.shape[1] - 1)
            if n_components > 1:
                scanpy.pp.pca(table, n_comps=n_components, random_state=self.random_state)
            else:  # two columns or fewer
                table.obsm["X_pca"] = np.asarray(view)
            muon.pp.l2norm(table, rep="X_pca")
            scanpy.pp.neighbors(table, use_rep="X_pca", random_state=self.random_state)
            tables[f"view_{v}"] = table
        if len(tables) == 1:
            return tables["view_0"]
        data = mudata.MuData(tables)
        muon.pp.neighbors(
            data, n_multineighbors=min(N_CANDIDATES, n_samples - 1), key_added="wnn", random_state=self.random_state
        )
        return data

    def _search(self) -> tuple[Any, float]:
        low, high, resolution = 0.0, np.inf, 1.0
        best: tuple[int, Any, float] | None = None
        for _ in range(MAX_RUNS):
            labels = self._leiden(resolution)
            found = int(labels.max()) + 1
            if best is None or abs(found - self.n_clusters) < best[0]:
                best = (abs(found - self.n_clusters), labels, resolution)
            if found == self.n_clusters:
                break
            low, high = (resolution, high) if found < self.n_clusters else (low, resolution)
            resolution = 2 * low if np.isinf(high) else high / 2 if low == 0 else (low + high) / 2
        assert best is not None
        return best[1], best[2]

    def _leiden(self, resolution: float) -> Any:
        key = "wnn" if isinstance(self._data, mudata.MuData) else None
        scanpy.tl.leiden(self._data, resolution=resolution, neighbors_key=key, random_state=self.random_state)
        return self._data.obs["leiden"].to_numpy().astype(int)
