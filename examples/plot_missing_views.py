"""
Samples that lack a view
========================

Not every sample was measured in every way. A row of NaN is a missing view: the other views decide, and nothing is
filled in. With frames, ``join="outer"`` makes such rows from ids.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering, Views
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index

data = make_views(n_samples=500, n_clusters=4, widths=(20, 20, 20), separation=6.0, random_state=0)


def without(share: float, seed: int) -> dict[str, np.ndarray]:
    """Remove a share of the rows of every view, but never all views of a sample."""
    rng = np.random.default_rng(seed)
    gone = rng.random((data.n_samples, data.n_views)) < share
    gone[np.arange(data.n_samples), rng.integers(data.n_views, size=data.n_samples)] = False
    return {name: np.where(gone[:, [v]], np.nan, table) for v, (name, table) in enumerate(data.views.items())}


# %%
# Agreement with the true clusters as more and more is missing. ``pattern`` is the agreement of the labels with which
# views are missing: it should stay near zero. Where much more is missing, clusters can begin to follow that pattern.
shares = [0.0, 0.1, 0.2, 0.3]
scores = []
for share in shares:
    model = AnchorGraphClustering(n_clusters=4, random_state=0).fit(without(share, seed=1))
    scores.append(adjusted_rand_index(data.labels, model.labels_))
    lacking = np.array([np.isnan(view[:, 0]) for view in without(share, seed=1).values()])
    pattern = adjusted_rand_index(lacking.T @ [1, 2, 4], model.labels_)
    print(f"{share:.0%} of the rows removed: ARI {scores[-1]:.2f}, pattern {pattern:.2f}")

fig, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
ax.plot([100 * share for share in shares], scores, "o-", color="#0072b2")
ax.set(xlabel="rows removed from every view, %", ylabel="ARI with the true clusters", ylim=(0, 1.02))

# %%
# Tables with ids need no preparation. Samples that a table does not know get the view as missing.
first = pd.DataFrame(data.views["view_0"], index=[f"s{i}" for i in range(500)])
second = pd.DataFrame(data.views["view_1"], index=[f"s{i}" for i in range(500)]).sample(frac=0.7, random_state=0)
try:
    Views.from_tables({"first": first, "second": second})
except ValueError as error:
    print(error)
views = Views.from_tables({"first": first, "second": second}, join="outer")
model = AnchorGraphClustering(n_clusters=4, random_state=0).fit(views)
print(
    f"joined: {views.n_samples} samples, {int(views.described(1).sum())} with both views, "
    f"ARI {adjusted_rand_index(data.labels, model.labels_):.2f}"
)
plt.show()
