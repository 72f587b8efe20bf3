"""Cluster digits that are described by four tables, and look at what comes out."""

import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import clustering_scores

data = load_digits_views()
rows = np.random.default_rng(0).permutation(data.n_samples)  # the result does not hang on the order of the rows
views = {name: view[rows] for name, view in data.views.items()}

model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(views)

print("cluster sizes  ", np.bincount(model.labels_))
print("view weights   ", dict(zip(views, model.view_weights_.round(2).tolist(), strict=True)))
print("view agreement ", dict(zip(views, model.view_agreement_.round(2).tolist(), strict=True)))
print("most doubtful  ", rows[np.argsort(model.confidence_)[:5]], "(rows of load_digits)")
for name, value in clustering_scores(data.labels[rows], model.labels_).items():
    print(f"{name:<15} {value:.3f}")
