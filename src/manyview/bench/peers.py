"""Peers whose packages offer functions and no estimator, wrapped as one."""

from __future__ import annotations

import importlib
from typing import Any

from sklearn.cluster import spectral_clustering
from sklearn.preprocessing import StandardScaler

from manyview.bench.sources import dense


class SNF:
    """Similarity network fusion by the package ``snf``, then spectral clustering of the fused network.

    Views are standardized, as the method's authors advise for continuous data.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    n_neighbors : int, default=20
        Neighbors of a sample in each network and in the fusion.
    mu : float, default=0.5
        Width of the kernel.
    random_state : int or None, default=None
        Seed of the spectral clustering.
    """

    def __init__(
        self, n_clusters: int, *, n_neighbors: int = 20, mu: float = 0.5, random_state: int | None = None
    ) -> None:
        self.n_clusters, self.n_neighbors, self.mu, self.random_state = n_clusters, n_neighbors, mu, random_state

    def fit(self, views: list[Any]) -> SNF:
        """Fuse the networks of the views and cluster the samples."""
        snf = importlib.import_module("snf")
        scaled = [StandardScaler().fit_transform(dense(view)) for view in views]
        affinities = snf.make_affinity(scaled, metric="sqeuclidean", K=self.n_neighbors, mu=self.mu)
        # one network has nothing to be fused with
        fused = snf.snf(affinities, K=self.n_neighbors) if len(views) > 1 else affinities
        self.labels_ = spectral_clustering(fused, n_clusters=self.n_clusters, random_state=self.random_state)
        return self
