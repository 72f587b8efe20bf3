"""
Omics layers with gene names
============================

Patients measured in three layers, as DataFrames: the index holds the patients, the columns the genes. The clusters come
with the genes that set them apart.

The values are made up; the names only show where yours would appear.
"""

import matplotlib.pyplot as plt
import pandas as pd

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.plotting import FeatureHeatmapDisplay, MapDisplay

GENES = ["TP53", "BRCA1", "EGFR", "MYC", "KRAS", "PTEN", "RB1", "CDH1", "GATA3", "ESR1", "ERBB2", "FOXA1"]
data = make_views(n_samples=240, n_clusters=4, widths=(12, 12, 8), separation=4.0, random_state=1)
patients = [f"P{i:03d}" for i in range(data.n_samples)]
columns = {
    "rna": GENES,
    "methylation": [f"cg-{gene}" for gene in GENES],
    "protein": [f"{gene}-p" for gene in GENES[:8]],
}
layers = {
    name: pd.DataFrame(table, index=patients, columns=names)
    for (name, names), table in zip(columns.items(), data.views.values(), strict=True)
}

# %%
# Rows are matched by their index, so the layers need not be in the same order.
layers["protein"] = layers["protein"].sample(frac=1, random_state=0)
model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(layers)
print(model)
print(model.result_frame().head(4).to_string())

# %%
# What sets the clusters apart: mean inside minus mean outside, in standard deviations within the clusters.
FeatureHeatmapDisplay.from_estimator(model, layers, n_features=15)

# %%
# The same in words for one cluster, with its typical patients.
reasons = model.explain(layers, n_prototypes=3, n_features=3)
print("\n".join(str(reasons).splitlines()[:6]))

# %%
# Any column can color the map.
MapDisplay.from_estimator(model, layers, color=layers["rna"]["ESR1"].to_numpy(), title="ESR1 in rna")
plt.show()
