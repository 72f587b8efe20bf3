"""
How many clusters?
==================

``n_clusters="auto"`` chooses K from two questions that need no labels: do random subsamples lead to the same clusters,
and do walks on the fused graph stay inside of them?
"""

import matplotlib.pyplot as plt

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.model_selection import select
from manyview.plotting import MapDisplay, SelectionDisplay

data = make_views(n_samples=400, n_clusters=6, widths=(12, 30), separation=4.0, random_state=0)
model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(data.views)
print(model.selection_)

# %%
# Look at the curve, not at the number alone: a flat top means that several K are equally good answers.
SelectionDisplay.from_estimator(model)

# %%
MapDisplay.from_estimator(model, data.views)

# %%
# ``select`` asks the same without a fit, for the K that you name, and can compare other parameters as well.
selection = select(data.views, n_clusters=range(2, 10), estimator=AnchorGraphClustering(random_state=0))
print("chosen without a fit:", selection.n_clusters)
plt.show()
