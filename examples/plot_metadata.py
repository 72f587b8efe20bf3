"""
What the clusters mean: metadata
================================

Metadata describe the samples but are not clustered: a diagnosis, a batch, an age. The report tests every cluster for
enrichment, and says if the clusters are only the batches.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.plotting import MapDisplay
from manyview.report import summarize

data = make_views(n_samples=300, n_clusters=3, widths=(12, 30), separation=4.0, random_state=0)
rng = np.random.default_rng(0)
likely = rng.random(data.n_samples) < 0.8
metadata = pd.DataFrame(
    {
        "diagnosis": np.where(likely, np.array(["A", "B", "C"])[data.labels], rng.choice(["A", "B", "C"], 300)),
        "age": rng.normal(50, 8, 300) + 12 * (data.labels == 2),
        "batch": rng.choice(["spring", "autumn"], 300),
    }
)
model = AnchorGraphClustering(n_clusters="auto", random_state=0).fit(data.views)

# %%
# Facts as a dict; ``report`` writes them as a page. The p values are adjusted for the number of tests.
summary = summarize(model, data.views, metadata=metadata)
for found in summary["enrichment"]["findings"]:
    what = found["column"] if found["category"] is None else f"{found['column']} {found['category']}"
    print(
        f"cluster {found['cluster']}: {what:<12} {found['inside']:6.2f} inside, {found['outside']:6.2f} outside, "
        f"adjusted p {found['adjusted_p']:.0e}"
    )

# %%
# One page to send around, which needs no network.
with tempfile.TemporaryDirectory() as folder:
    page = model.report(data.views, Path(folder) / "page.html", metadata=metadata, name="three groups")
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB")

# %%
# The same map three times: by cluster, by diagnosis, by age.
fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
MapDisplay.from_estimator(model, data.views, ax=axes[0])
MapDisplay.from_estimator(model, data.views, color=metadata["diagnosis"], title="diagnosis", ax=axes[1])
MapDisplay.from_estimator(model, data.views, color=metadata["age"].to_numpy(), title="age", ax=axes[2])
plt.show()
