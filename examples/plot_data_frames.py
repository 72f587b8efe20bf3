"""
DataFrames are matched by index
===============================

Tables from different sources are rarely in the same order. Rows of DataFrames are matched by their index, and a sample
that one table lacks is an error until you say what is meant.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import adjusted_rand_index
from manyview.plotting import AlluvialDisplay

data = make_views(n_samples=200, n_clusters=3, widths=(12, 30), random_state=0)
patients = [f"patient-{i:03d}" for i in range(200)]
protein = pd.DataFrame(data.views["view_0"], index=patients)
expression = pd.DataFrame(data.views["view_1"], index=patients).sample(frac=1, random_state=0)  # another order

model = AnchorGraphClustering(n_clusters=3, random_state=0).fit({"protein": protein, "expression": expression})
by_hand = AnchorGraphClustering(n_clusters=3, random_state=0).fit(
    {"protein": protein, "expression": expression.loc[patients]}
)
print("same as aligned by hand:", np.array_equal(model.labels_, by_hand.labels_))
print(model.result_frame().head(3).to_string())

# %%
# A sample that one table lacks is never mixed up in silence.
try:
    AnchorGraphClustering(n_clusters=3).fit({"protein": protein, "expression": expression.drop("patient-007")})
except ValueError as error:
    print(error)

# %%
# Say that it is meant with a row of NaN, or with ``Views.from_tables(..., join="outer")``.
measured = expression.sample(frac=0.7, random_state=1)  # of the others no expression was taken
partly = AnchorGraphClustering(n_clusters=3, random_state=0).fit(
    {"protein": protein, "expression": measured.reindex(patients)}
)
alike = adjusted_rand_index(model.labels_, partly.labels_)
print(f"with the expression of 7 in 10 patients the same clusters, ARI {alike:.2f}")
AlluvialDisplay.from_predictions(model.labels_, partly.labels_, titles=("all measured", "7 in 10"))
plt.show()
