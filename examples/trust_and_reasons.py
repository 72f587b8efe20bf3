"""How many clusters, how far to trust them, and why they are clusters; no label is used anywhere."""

import warnings

import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering, NoiseViewWarning
from manyview.datasets import make_views
from manyview.model_selection import select

data = make_views(n_samples=400, n_clusters=5, widths=(12, 30), separation=4.0, random_state=0)
patients = [f"patient-{i:03d}" for i in range(400)]
views = {
    name: pd.DataFrame(table, index=patients, columns=[f"{name}:{j}" for j in range(table.shape[1])])
    for name, table in zip(("protein", "expression"), data.views.values(), strict=True)
}
views["shuffled"] = views["protein"].sample(frac=1, random_state=0).set_axis(patients)  # rows of other patients

warnings.simplefilter("always", NoiseViewWarning)
selection = select(views, n_clusters=range(2, 10), estimator=AnchorGraphClustering(random_state=0))
print(selection, "\n")

model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(views)  # the same choice inside a fit
print("chosen inside the fit:", model.n_clusters_)
print("cluster stability    ", model.cluster_stability_.round(2))
doubtful = np.argsort(model.confidence_)[:3]
print("least certain        ", [f"{patients[i]} {model.confidence_[i]:.2f}" for i in doubtful])
print("contradicted by views", int(model.views_disagree_.sum()), "of", len(patients), "\n")

print(model.explain(views, n_prototypes=2, n_features=2))
