"""
Rows with a real order: frames of a film
========================================

Most data have no order, and a method must not use one. Frames of a film, or moments of a process, do: neighbors in
time mostly belong together. With ``axis="samples"`` the tensor norm of :class:`manyview.SemiNTF` runs along the rows
and uses that.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyview import RowOrderWarning, SemiNTF
from manyview.datasets import make_views
from manyview.metrics import accuracy

data = make_views(n_samples=480, n_clusters=4, widths=(10, 16), separation=2.0, random_state=0)
frames = np.argsort(data.labels, kind="stable")  # four scenes, one after the other
film = {name: view[frames] for name, view in data.views.items()}
scenes = data.labels[frames]

# %%
# The package warns that the result depends on the order of the rows. Here that is what we want.
warnings.simplefilter("ignore", RowOrderWarning)
warnings.simplefilter("ignore", ConvergenceWarning)
models = {
    "without the order": SemiNTF(n_clusters=4, random_state=0),
    "with the order": SemiNTF.paper(
        4, axis="samples", lam=1e3, p=0.5, n_anchors=40, start="consensus", scale="auto", anchors="kmeans"
    ),
}
fig, axes = plt.subplots(2, 1, figsize=(8, 3), sharex=True, layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    labels = model.fit(film).labels_
    changes = int((np.diff(labels) != 0).sum())
    print(f"{name:<18} ACC {accuracy(scenes, labels):.2f}, {changes} changes of scene (3 are true)")
    ax.imshow(labels[None], aspect="auto", cmap="tab10", vmax=9, interpolation="nearest")
    ax.set(yticks=[], title=f"{name}: {changes} changes of scene")
axes[-1].set_xlabel("frame")
plt.show()
