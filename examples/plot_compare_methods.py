"""
Ten methods side by side
========================

All estimators have the same interface. Here they cluster 300 digits that they have not been tuned for, rows shuffled.
A single small data set says little about a method: `Which method? <../which.html>`_ has the means over twenty.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

import manyview
from manyview.datasets import load_digits_views
from manyview.metrics import accuracy
from manyview.plotting import AlluvialDisplay

warnings.simplefilter("ignore", ConvergenceWarning)
data = load_digits_views()
rows = np.random.default_rng(0).permutation(data.n_samples)[:300]
views = {name: view[rows] for name, view in data.views.items()}
truth = data.labels[rows]

names = ["AnchorGraphClustering", "SemiNTF", "AMGL", "CSMSC", "FMCNOF", "GMC", "LMVSC", "MVGL", "SFMC", "SMSC"]
labels = {name: manyview.cluster(views, n_clusters=10, method=name).labels for name in names}
scores = {name: accuracy(truth, found) for name, found in labels.items()}
order = sorted(names, key=scores.__getitem__)
for name in reversed(order):
    print(f"{name:<22} ACC {scores[name]:.2f}")

fig, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.barh(order, [scores[name] for name in order], color="#0072b2")
ax.set(xlabel="ACC", xlim=(0, 1))

# %%
# Where two of them differ: bands join the samples that two clusters share.
AlluvialDisplay.from_predictions(
    labels["AnchorGraphClustering"], labels["GMC"], titles=("AnchorGraphClustering", "GMC")
)
plt.show()
