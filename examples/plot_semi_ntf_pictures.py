"""
Semi-NTF in pictures: tensor, t-product, norm, ADMM
===================================================

The four parts of *Multi-View Clustering via Semi-non-negative Tensor Factorization*, drawn one by one. The formulas are
on the page that explains the method; :class:`manyview.SemiNTF` is the estimator.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from manyview import SemiNTF
from manyview.datasets import make_views
from manyview.plotting import ConvergenceDisplay

K, N_ANCHORS = 4, 16
data = make_views(n_samples=120, n_clusters=K, widths=(6, 8, 10), separation=5.0, random_state=0)
order = np.argsort(data.labels, kind="stable")  # only so that the pictures show blocks
tables = [table[order] for table in data.views.values()]

# %%
# **The tensor.** Every view is a matrix of samples and anchors, three weights per sample, and the matrices of all views
# are stacked one behind the other.
groups = KMeans(N_ANCHORS, n_init=1, random_state=0).fit_predict(np.hstack(tables))
near = np.argsort([np.median(np.flatnonzero(groups == j)) for j in range(N_ANCHORS)])
S = np.zeros((len(tables), 120, N_ANCHORS))
for v, table in enumerate(tables):
    anchors = np.array([table[groups == j].mean(axis=0) for j in near])
    distances = ((table[:, None] - anchors) ** 2).sum(axis=2)
    fourth = np.sort(distances, axis=1)[:, [3]]
    weights = np.maximum(fourth - distances, 0)
    S[v] = weights / weights.sum(axis=1, keepdims=True)

fig = plt.figure(figsize=(6.4, 4.4))
for v in reversed(range(len(S))):
    ax = fig.add_axes((0.1 + 0.21 * v, 0.08 + 0.11 * v, 0.42, 0.62))
    ax.imshow(S[v], aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"view {v + 1}", loc="right", backgroundcolor="white", pad=2)
    if v == 0:
        ax.set(xlabel=f"{N_ANCHORS} anchors", ylabel="120 samples")

# %%
# **The t-product** of two tensors multiplies every slice of the first with every slice of the second, and adds the
# product of slices i and j to slice i + j, counted around the circle. So it mixes the views. With the identity as
# transform a slice meets only its own counterpart.
fig, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
colors = np.array(["#0072b2", "#e69f00", "#009e73"])
for ax, name in zip(axes, ("t-product", "product per view"), strict=True):
    for i in range(3):
        for j in range(3):
            meets = name == "t-product" or i == j
            lands = (i + j) % 3 if name == "t-product" else i
            ax.add_patch(plt.Rectangle((j, i), 0.94, 0.94, color=colors[lands] if meets else "#eceff2"))
            ax.text(j + 0.47, i + 0.47, f"slice {lands + 1}" if meets else "–", ha="center", va="center")
    ticks = [0.47, 1.47, 2.47]
    ax.set(xlim=(0, 3), ylim=(3, 0), aspect="equal", xticks=ticks, yticks=ticks, title=name)
    ax.set(xticklabels=["1", "2", "3"], yticklabels=["1", "2", "3"], xlabel="slice of G", ylabel="slice of H")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)

# %%
# It is computed as plain products per frequency: transform along the views, multiply slice by slice, transform back.
A, B = np.random.default_rng(0).normal(size=(2, 3, 4, 4))
direct = np.array([sum(A[i] @ B[(k - i) % 3] for i in range(3)) for k in range(3)])
transformed = np.fft.ifft(np.fft.fft(A, axis=0) @ np.fft.fft(B, axis=0), axis=0).real
print("largest difference of the two ways:", f"{np.abs(direct - transformed).max():.0e}")

# %%
# **The Schatten p-norm** adds powers of singular values of the transformed slices. The smaller p, the more it counts
# how *many* there are instead of how large they are. If all views have the same indicator, only one frequency is left,
# and the sum is small; if they differ, all frequencies have singular values.
H = np.eye(K)[data.labels[order]] / np.sqrt(30)
agreeing = np.stack([H, H, H])
differing = np.stack([H, np.roll(H, 20, axis=0), np.roll(H, 40, axis=0)])
fig, (left, *right) = plt.subplots(1, 3, figsize=(9.6, 3.2), layout="constrained")
sigma = np.linspace(0, 2, 200)
for p, style in ((1.0, "-"), (0.5, "--"), (0.1, ":")):
    left.plot(sigma, sigma**p, style, color="#1c2128", label=f"p = {p}")
left.set(xlabel="singular value", ylabel="price", title="what a singular value costs")
left.legend(frameon=False)
for ax, name, tensor in zip(right, ("views agree", "views differ"), (agreeing, differing), strict=True):
    values = np.linalg.svd(np.fft.fft(tensor, axis=0), compute_uv=False).clip(1e-9)  # (frequencies, K)
    for f, some in enumerate(values):
        ax.bar(np.arange(K) + f * (K + 1), some, color=colors[f])
    places = [(K - 1) / 2 + f * (K + 1) for f in range(3)]
    ax.set(xticks=places, xticklabels=["frequency 0", "1", "2"], ylim=(0, 3.2))
    ax.set_title(f"{name}: {(values**0.5).sum():.1f} in all")
right[0].set_ylabel("singular values, p = 0.5")

# %%
# **ADMM** keeps three copies of the indicator: H is non-negative, Q is orthogonal, and J has a small norm. Each is
# found in closed form while the others stand still, and growing penalties pull the copies together.
views = dict(zip(data.views, tables, strict=True))
model = SemiNTF.paper(K, n_anchors=N_ANCHORS, lam=10.0, p=0.7, max_iter=300, random_state=0).fit(views)
ConvergenceDisplay.from_estimator(model)
print(f"{model.n_iter_} iterations, converged: {model.converged_}")
plt.show()
