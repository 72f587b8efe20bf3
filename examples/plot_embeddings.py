"""
Embeddings of several models
============================

Models that look at the same things see different sides of them. Each gives a vector per image, and the vectors have
nothing in common but their rows. Clustering all of them at once finds what none of them sees alone.

Here the "models" are small enough to need no download: one sees the left half of a digit, one the right half, one its
spectrum. Vectors of neural networks are passed in the same way.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import accuracy
from manyview.plotting import ViewAgreementDisplay

data = load_digits_views()
rows = np.random.default_rng(0).permutation(data.n_samples)[:800]
images, truth = data.views["pixels"][rows].reshape(-1, 8, 8) / 16, data.labels[rows]


def embed(table: np.ndarray) -> np.ndarray:
    """Return twelve numbers per image, as a model would."""
    return PCA(12, random_state=0).fit_transform(table.reshape(len(table), -1))


embeddings = {
    "left half": embed(images[:, :, :4]),
    "right half": embed(images[:, :, 4:]),
    "spectrum": embed(data.views["fourier"][rows]),
}

# %%
# Each embedding alone, and all together.
found = {name: AnchorGraphClustering(10, random_state=0).fit([vectors]).labels_ for name, vectors in embeddings.items()}
together = AnchorGraphClustering(10, random_state=0).fit(embeddings)
found["together"] = together.labels_
scores = {name: accuracy(truth, labels) for name, labels in found.items()}
for name, score in scores.items():
    print(f"{name:<10} ACC {score:.2f}")

fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar(list(scores), list(scores.values()), color=["#8fa3b8"] * 3 + ["#0072b2"])
ax.set(ylabel="ACC", ylim=(0, 1))

# %%
# Which embeddings see the same clusters?
ViewAgreementDisplay.from_estimator(together, embeddings)
plt.show()
