"""
How far to trust clusters, and why they are clusters
====================================================

Confidence ranks the samples, stability rates the clusters, the votes of the views show where they disagree, and a view
that says nothing is named. No label is used anywhere.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering, NoiseViewWarning
from manyview.datasets import make_views
from manyview.plotting import MapDisplay, MembershipDisplay

data = make_views(n_samples=400, n_clusters=5, widths=(12, 30), separation=4.0, random_state=0)
patients = [f"patient-{i:03d}" for i in range(400)]
views = {
    name: pd.DataFrame(table, index=patients, columns=[f"{name}:{j}" for j in range(table.shape[1])])
    for name, table in zip(("protein", "expression"), data.views.values(), strict=True)
}
views["shuffled"] = views["protein"].sample(frac=1, random_state=0).set_axis(patients)  # rows of other patients

# %%
# The third view has its rows mixed up: it is found, named and left out.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", NoiseViewWarning)
    model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(views)
for warning in caught:
    print(warning.message)

# %%
print("chosen inside the fit:", model.n_clusters_)
print("cluster stability    ", model.cluster_stability_.round(2))
doubtful = np.argsort(model.confidence_)[:3]
print("least certain        ", [f"{patients[i]} {model.confidence_[i]:.2f}" for i in doubtful])
print("contradicted by views", int(model.views_disagree_.sum()), "of", len(patients), "\n")
print("\n".join(str(model.explain(views, n_prototypes=2, n_features=2)).splitlines()[:5]))

# %%
# Low confidence lies between the clusters. It is a ranking, not a probability.
MapDisplay.from_estimator(model, views, color=model.confidence_, title="confidence")

# %%
MembershipDisplay.from_estimator(model)
plt.show()
