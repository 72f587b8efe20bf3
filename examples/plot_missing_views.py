"""
Samples that lack a view
========================

Not every sample was measured in every way. A row of NaN is a missing view: the other views decide, and nothing is
filled in. With frames, ``join="outer"`` makes such rows from ids.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyview import AnchorGraphClustering, Views
from manyview.datasets import load_digits_views, make_views
from manyview.metrics import adjusted_rand_index

digits = load_digits_views()
some = np.random.default_rng(0).permutation(digits.n_samples)[:800]


def without(share: float, seed: int) -> dict[str, np.ndarray]:
    """Remove a share of the rows of every view, but never all views of a sample."""
    rng = np.random.default_rng(seed)
    gone = rng.random((len(some), digits.n_views)) < share
    gone[np.arange(len(some)), rng.integers(digits.n_views, size=len(some))] = False
    return {name: np.where(gone[:, [v]], np.nan, table[some]) for v, (name, table) in enumerate(digits.views.items())}


# %%
# Agreement with the digits as more and more is missing, beside k-means on the views side by side after means were
# filled in. ``pattern`` is the agreement of the labels with which views are missing: it should stay near zero. Where
# much more is missing, clusters can begin to follow that pattern.
shares = [0.0, 0.1, 0.2, 0.3, 0.4]
truth = np.asarray(digits.labels)[some]
scores, filled = [], []
for share in shares:
    views = without(share, seed=1)
    model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(views)
    scores.append(adjusted_rand_index(truth, model.labels_))
    table = make_pipeline(SimpleImputer(), StandardScaler()).fit_transform(np.hstack(list(views.values())))
    filled.append(adjusted_rand_index(truth, KMeans(10, n_init=10, random_state=0).fit_predict(table)))
    lacking = np.array([np.isnan(view[:, 0]) for view in views.values()])  # (views, samples)
    pattern = adjusted_rand_index(lacking.T @ [1, 2, 4, 8], model.labels_)
    print(f"{share:.0%} of the rows removed: ARI {scores[-1]:.2f}, pattern {pattern:.2f}, with means {filled[-1]:.2f}")

fig, ax = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
ax.plot([100 * share for share in shares], scores, "o-", color="#0072b2", label="AnchorGraphClustering")
ax.plot([100 * share for share in shares], filled, "s--", color="#8da2b5", label="means filled in, k-means")
ax.set(xlabel="rows removed from every view, %", ylabel="ARI with the digits", ylim=(0, 1.02))
ax.legend(frameon=False)

# %%
# Tables with ids need no preparation. Samples that a table does not know get the view as missing.
data = make_views(n_samples=500, n_clusters=4, widths=(20, 20), separation=6.0, random_state=0)
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
