"""UMAP of one table, then k-means of the map."""

from __future__ import annotations

from typing import Any

import umap
from sklearn.cluster import KMeans


class UMAPKMeans:
    """The package ``umap`` with its defaults (15 neighbors, 2 dimensions), then `KMeans` with ten starts.

    A seed makes UMAP use one thread.
    """

    def __init__(self, n_clusters: int, *, random_state: int | None = None, **params: Any) -> None:
        self.n_clusters, self.random_state, self.params = n_clusters, random_state, params

    def fit(self, X: Any) -> UMAPKMeans:
        """Embed the samples and cluster the embedding."""
        embedding = umap.UMAP(random_state=self.random_state, **self.params).fit_transform(X)
        kmeans = KMeans(self.n_clusters, n_init=10, random_state=self.random_state)
        self.labels_ = kmeans.fit_predict(embedding)
        return self
