"""
Rows that come in over time
===========================

Batches join a fitted model with ``partial_fit``; a refit on everything keeps the numbers of the clusters with
``match_to``.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import accuracy, adjusted_rand_index
from manyview.plotting import AlluvialDisplay

data = make_views(n_samples=1_500, n_clusters=4, widths=(12, 30), separation=3.0, random_state=0)


def between(start: int, stop: int) -> dict[str, np.ndarray]:
    """Rows that came in between two moments."""
    return {name: table[start:stop] for name, table in data.views.items()}


model = AnchorGraphClustering(n_clusters=4, random_state=0).fit(between(0, 600))
old = model.labels_
for start in range(600, 1_500, 300):  # anchors stay, sums grow: a batch costs what its own rows cost
    model.partial_fit(between(start, start + 300))
    ari = adjusted_rand_index(data.labels[start : start + 300], model.labels_)
    print(f"batch {start} … {start + 299}: ARI {ari:.2f}, {model.cluster_sizes_.sum():,} rows seen")

# %%
# A refit may number its clusters in another way; ``match_to`` keeps the old numbers.
fresh = AnchorGraphClustering(n_clusters=4, random_state=1).fit(data.views)
kept = AnchorGraphClustering(n_clusters=4, random_state=1).fit(data.views, match_to=old)  # labels of the first rows
print(f"rows that keep their number in a refit        {np.mean(fresh.labels_[:600] == old):.2f}")
print(f"rows that keep their number with match_to=    {np.mean(kept.labels_[:600] == old):.2f}")
print(f"the clusters are the same either way: {accuracy(fresh.labels_, kept.labels_) == 1}")

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
AlluvialDisplay.from_predictions(old, fresh.labels_[:600], titles=("first fit", "refit"), ax=left)
AlluvialDisplay.from_predictions(old, kept.labels_[:600], titles=("first fit", "refit with match_to"), ax=right)
plt.show()
