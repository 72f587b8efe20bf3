"""
The method in pictures
======================

What happens between two tables and the clusters: anchors, anchor graphs, their fusion, and the embedding. The data have
two columns per view, so that everything can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyview import AnchorGraphClustering
from manyview.plotting import style

rng = np.random.default_rng(0)
truth = np.repeat([0, 1, 2], 100)
# the first view cannot tell clusters 1 and 2 apart, the second one not 0 and 1
first = np.array([[0, 0], [4, 0], [4, 0]])[truth] + rng.normal(size=(300, 2))
second = np.array([[0, 0], [0, 0], [0, 4]])[truth] + rng.normal(size=(300, 2))
views = {"first": first, "second": second}
COLORS = np.array(["#0072b2", "#e69f00", "#009e73"])

fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, (name, table) in zip(axes, views.items(), strict=True):
    ax.scatter(*table.T, s=14, c=COLORS[truth])
    ax.set_title(f"{name} view: two groups coincide")

# %%
# **Anchors** are means of small groups of rows. They stand for the rows of all views at once, so the number of anchors,
# not the number of rows, decides what the later steps cost. A fit takes 500; here are 30.
model = AnchorGraphClustering(n_clusters=3, n_anchors=30, n_neighbors=4, random_state=0).fit(views)
from sklearn.cluster import KMeans  # noqa: E402

groups = KMeans(30, n_init=1, random_state=0).fit_predict(np.hstack([first, second]))
anchors = {name: np.array([table[groups == j].mean(axis=0) for j in range(30)]) for name, table in views.items()}
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, (name, table) in zip(axes, views.items(), strict=True):
    ax.scatter(*table.T, s=8, c="#c3ccd5")
    ax.scatter(*anchors[name].T, s=60, c="#d55e00", marker="X")
    ax.set_title(f"{name} view: 30 anchors")

# %%
# **The anchor graph** ties every row to its nearest anchors, with weights that sum to one. It is all that is kept of a
# view: a few numbers per row instead of distances between all pairs of rows.
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, (name, table) in zip(axes, views.items(), strict=True):
    for row in (5, 150, 250):
        distance = ((anchors[name] - table[row]) ** 2).sum(axis=1)
        near = np.argsort(distance)[:5]
        weights = (distance[near[4]] - distance[near[:4]]) / (4 * distance[near[4]] - distance[near[:4]].sum())
        for anchor, weight in zip(near[:4], weights, strict=True):
            ax.plot(*np.array([table[row], anchors[name][anchor]]).T, color=COLORS[truth[row]], lw=1 + 6 * weight)
    ax.scatter(*table.T, s=6, c="#c3ccd5")
    ax.scatter(*anchors[name].T, s=40, c="#d55e00", marker="X", zorder=3)
    ax.set_title(f"{name} view: three rows and their anchors")


# %%
# **Fusion.** The graphs of all views share the anchors, so they can be added, each with a weight that says how well its
# view supports the clusters. A walk goes from a row to one of its anchors and on to another row. Dark is where such
# walks go, from the row on the left to the row below: in each view two groups are one block; in the fused graph every
# group is tied most to itself.
def graph(name: str) -> np.ndarray:
    """Return the weights (300, 30) of all rows on all anchors."""
    distances = ((views[name][:, None] - anchors[name]) ** 2).sum(axis=2)
    weights = np.maximum(np.sort(distances, axis=1)[:, [4]] - distances, 0)
    return weights / weights.sum(axis=1, keepdims=True)


graphs = {name: graph(name) for name in views}
graphs["fused"] = sum(weight * graphs[name] for name, weight in zip(views, model.view_weights_, strict=True))
fig, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for ax, (name, A) in zip(axes, graphs.items(), strict=True):
    walks = A @ (A / A.sum(axis=0)).T
    ax.imshow(walks, cmap="Blues", vmax=np.quantile(walks, 0.97))
    ax.set(title=name, xticks=[50, 150, 250], yticks=[50, 150, 250])
    ax.set(xticklabels=["group 0", "group 1", "group 2"], yticklabels=["0", "1", "2"])
    ax.tick_params(length=0)

# %%
# **The embedding** places rows by walks on the fused graph: here the three groups come apart.
fig, ax = plt.subplots(figsize=(4.6, 4), layout="constrained")
shown = model.embedding_[:, 1:3]
ax.scatter(*shown.T, s=14, c=COLORS[truth])
ax.set_title("embedding of the fused graph")
print("weights of the views:", model.view_weights_.round(2))

# %%
# **Confidence** is the margin between a row's own cluster and the next one in the embedding.
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, (name, table) in zip(axes, views.items(), strict=True):
    drawn = ax.scatter(*table.T, s=14, c=model.confidence_, cmap=style.sequential())
    ax.set_title(f"{name} view")
fig.colorbar(drawn, ax=axes, label="confidence")
plt.show()
