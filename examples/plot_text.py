"""
Documents in several languages
==============================

Word counts of the same 800 documents in three languages. Sparse matrices stay sparse: a table of 6,000 words is never
made dense as a whole.
"""

import matplotlib.pyplot as plt

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import clustering_scores
from manyview.plotting import ContingencyDisplay, MapDisplay

data = make_views(
    n_samples=800, n_clusters=6, widths=(4000, 6000, 5000), sparse=True, density=0.01, separation=0.3, random_state=0
)
languages = dict(zip(("english", "french", "german"), data.views.values(), strict=True))
for name, view in languages.items():
    print(f"{name:<8} {type(view).__name__}, {view.shape[1]:,} words, {view.nnz / view.shape[0]:.0f} in a document")

# %%
# ``scale="auto"`` finds that these are counts: rare words weigh more, and documents are compared by their angle.
model = AnchorGraphClustering(n_clusters=6, random_state=0).fit(languages)
MapDisplay.from_estimator(model, languages)

# %%
# The topics were made up, so they are known.
scores = clustering_scores(data.labels, model.labels_)
print(f"ACC {scores['acc']:.3f}  NMI {scores['nmi']:.3f}")
ContingencyDisplay.from_estimator(model, data.labels)
plt.show()
