"""
Semi-NTF: the factorization
===========================

:class:`manyview.SemiNTF` factorizes the anchor graphs of all views into a non-negative indicator H, whose rows say to
which cluster a sample belongs, and a small factor G that describes the clusters by their anchors.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyview import SemiNTF
from manyview.datasets import make_views
from manyview.metrics import accuracy

data = make_views(n_samples=300, n_clusters=4, widths=(12, 30), separation=4.0, random_state=0)
model = SemiNTF(n_clusters=4, random_state=0).fit(data.views)
print(
    f"ACC {accuracy(data.labels, model.labels_):.2f} after {model.n_iter_} iterations, H has shape "
    f"{model.indicator_.shape}: slices, samples, clusters"
)

# %%
# H is non-negative and nearly orthogonal, so every row has one entry that counts. Rows sorted by cluster:
order = np.argsort(model.labels_, kind="stable")
fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
left.imshow(model.indicator_[0][order], aspect="auto", cmap="Blues", interpolation="nearest")
left.set(title="H", xlabel="cluster", ylabel="sample")
gram = model.indicator_[0].T @ model.indicator_[0]
drawn = right.imshow(gram, cmap="Blues", vmin=0, vmax=1)
right.set(title="H'H, near the identity", xlabel="cluster", ylabel="cluster", yticks=range(4))
fig.colorbar(drawn, ax=right)

# %%
# Under the t-product of the paper, orthogonality and non-negativity together forbid the views to agree: with
# ``variant="paper"`` a sample has nearly all of its weight in one view. Orthogonality per view does not.
shares = {}
for name, transform in (("t-product (DFT along views)", "dft"), ("per view (default)", "identity")):
    coupled = SemiNTF(n_clusters=4, coupling="views", view_transform=transform, random_state=0).fit(data.views)
    energy = (coupled.indicator_**2).sum(axis=2)  # (slices, samples)
    shares[name] = energy.max(axis=0) / energy.sum(axis=0)
    print(f"{name:<28} median share of a sample's strongest slice: {np.median(shares[name]):.2f}")
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for name, share in shares.items():
    ax.hist(share, bins=np.linspace(0, 1, 41), alpha=0.75, label=name)
ax.set(xlabel="share of a sample's weight in its strongest slice", ylabel="samples")
ax.legend(frameon=False)
plt.show()
