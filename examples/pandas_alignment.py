"""DataFrames are aligned by their index, so tables from different sources need not be in the same order.

A sample that one table lacks is an error until one says that it is meant: a row of NaN is a missing view.
"""

import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index

data = make_views(n_samples=200, n_clusters=3, widths=(12, 30), random_state=0)
patients = [f"patient-{i:03d}" for i in range(200)]
protein = pd.DataFrame(data.views["view_0"], index=patients)
expression = pd.DataFrame(data.views["view_1"], index=patients).sample(frac=1, random_state=0)  # another order

model = AnchorGraphClustering(n_clusters=3, random_state=0).fit({"protein": protein, "expression": expression})
by_hand = AnchorGraphClustering(n_clusters=3, random_state=0).fit(
    {"protein": protein, "expression": expression.loc[patients]}
)
print("same as aligned by hand:", np.array_equal(model.labels_, by_hand.labels_))

clusters = pd.DataFrame({"cluster": model.labels_, "confidence": model.confidence_.round(3)}, index=protein.index)
print(clusters.head(3))

try:  # a sample that one table lacks is an error, never a silent mix-up
    AnchorGraphClustering(n_clusters=3).fit({"protein": protein, "expression": expression.drop("patient-007")})
except ValueError as error:
    print(error)

measured = expression.sample(frac=0.7, random_state=1)  # of the others no expression was taken
partly = AnchorGraphClustering(n_clusters=3, random_state=0).fit(
    {"protein": protein, "expression": measured.reindex(patients)}
)
alike = adjusted_rand_index(model.labels_, partly.labels_)
print(f"with the expression of 7 in 10 patients the same clusters, ARI {alike:.2f}")
