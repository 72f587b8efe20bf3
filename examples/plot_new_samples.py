"""
New samples, and a saved model
==============================

A fitted model labels samples that it has not seen, says how sure it is, and recognizes samples that belong nowhere.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import manyview
from manyview import AnchorGraphClustering, Views
from manyview.datasets import load_digits_views
from manyview.metrics import accuracy

data = load_digits_views()
views = Views(list(data.views.values()), names=list(data.views))  # indexed by rows, so scikit-learn can split it
train, test, y_train, y_test = train_test_split(views, data.labels, test_size=0.25, random_state=0)

model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(train)
print(f"ACC on the rows of the fit  {accuracy(y_train, model.labels_):.3f}")
print(f"ACC on new rows             {accuracy(y_test, model.predict(test)):.3f}")

# %%
# The model goes into one file. No pickle is involved: loading it runs no code from the file.
with tempfile.TemporaryDirectory() as folder:
    path = model.save(Path(folder) / "digits.manyview")
    again = manyview.load(path)
print("same labels after loading:", np.array_equal(again.predict(test), model.predict(test)))

# %%
# ``assess`` adds confidence and novelty. Here are new digits beside images of pure noise: novelty beyond 1 is farther
# from the anchors than the rows of the fit ever are.
noise = np.random.default_rng(0)
strange = Views(
    [noise.permutation(table.ravel())[: 100 * table.shape[1]].reshape(100, -1) for table in test.tables],
    names=list(test.names),
)
fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
for name, rows, color in (("new digits", test, "#0072b2"), ("noise", strange, "#d55e00")):
    assessment = model.assess(rows)
    left.hist(assessment.novelty, bins=30, alpha=0.7, density=True, color=color, label=name)
    right.hist(assessment.confidence, bins=30, alpha=0.7, density=True, color=color, label=name)
left.axvline(1, color="black", lw=1, ls="--")
left.set(xlabel="novelty", ylabel="density")
right.set(xlabel="confidence")
left.legend(frameon=False)
print(
    f"beyond 1: {np.mean(model.assess(test).novelty > 1):.0%} of the digits, "
    f"{np.mean(model.assess(strange).novelty > 1):.0%} of the noise"
)
plt.show()
