"""
Digits seen in four ways
========================

1797 images of handwritten digits, each described by four tables: its pixels, the directions of its edges, its Fourier
spectrum, and the profiles of its rows and columns. Nobody says which digit an image shows.
"""

# %%
# The views come as a dict of arrays. The rows are shuffled first, so that no method can profit from their order.
import matplotlib.pyplot as plt
import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import clustering_scores
from manyview.plotting import ContingencyDisplay, MapDisplay, ViewAgreementDisplay

data = load_digits_views()
rows = np.random.default_rng(0).permutation(data.n_samples)
views = {name: view[rows] for name, view in data.views.items()}

model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(views)
print(model)

# %%
# The map places the samples by their embedding in the fused graph of all views.
MapDisplay.from_estimator(model, views)

# %%
# Views differ in how much they know about the clusters: weights are learned without labels.
for name, weight, agreement in zip(views, model.view_weights_, model.view_agreement_, strict=True):
    print(f"{name:<10} weight {weight:.2f}   agreement with the clusters {agreement:.2f}")
ViewAgreementDisplay.from_estimator(model, views)

# %%
# Only now the known digits are looked at: each cluster stands below the digit it is matched to.
ContingencyDisplay.from_estimator(model, data.labels[rows])
for name, value in clustering_scores(data.labels[rows], model.labels_).items():
    print(f"{name:<15} {value:.3f}")
plt.show()
