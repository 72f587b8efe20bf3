"""Fit on some rows, label others: the fitted scaling, anchors and memberships are reused."""

import numpy as np
from sklearn.model_selection import train_test_split

from manyview import AnchorGraphClustering, Views
from manyview.datasets import load_digits_views
from manyview.metrics import accuracy

data = load_digits_views()
views = Views(list(data.views.values()), names=list(data.views))  # indexed by rows, so scikit-learn can split it
train, test, y_train, y_test = train_test_split(views, data.labels, test_size=0.25, random_state=0)

model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(train)
membership = model.transform(test)  # share of every cluster in every new row
labels = model.predict(test)  # the largest of them

print(train, "->", test.n_samples, "new rows")
print(f"ACC on the rows of the fit  {accuracy(y_train, model.labels_):.3f}")
print(f"ACC on new rows             {accuracy(y_test, labels):.3f}")
first, second = np.sort(membership, axis=1)[:, -2:].T[::-1]
print("clearest new row", int((first - second).argmax()), "most doubtful", int((first - second).argmin()))
