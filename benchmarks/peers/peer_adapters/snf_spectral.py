"""Similarity network fusion, then spectral clustering of the fused network."""

from __future__ import annotations

from typing import Any

import snf
from sklearn.cluster import spectral_clustering


class SNFSpectral:
    """The package ``snf`` with its defaults (20 neighbors, mu = 0.5), then scikit-learn's `spectral_clustering`.

    Columns are scaled by the plan, because the scaling in ``snf`` makes NaN of constant columns.
    """

    def __init__(
        self, n_clusters: int, *, n_neighbors: int = 20, mu: float = 0.5, random_state: int | None = None
    ) -> None:
        self.n_clusters, self.n_neighbors, self.mu, self.random_state = n_clusters, n_neighbors, mu, random_state

    def fit(self, views: list[Any]) -> SNFSpectral:
        """Fuse the networks of the views and cluster the samples."""
        options = {"metric": "sqeuclidean", "K": self.n_neighbors, "mu": self.mu, "normalize": False}
        networks = [snf.make_affinity(view, **options) for view in views]
        # one network has nothing to be fused with
        fused = snf.snf(networks, K=self.n_neighbors) if len(networks) > 1 else networks[0]
        self.labels_ = spectral_clustering(fused, n_clusters=self.n_clusters, random_state=self.random_state)
        return self
