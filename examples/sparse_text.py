"""Word counts of the same documents in three languages, as sparse matrices that are never made dense as a whole."""

from manyview import AnchorGraphClustering
from manyview.datasets import make_views
from manyview.metrics import clustering_scores

data = make_views(
    n_samples=800, n_clusters=6, widths=(4000, 6000, 5000), sparse=True, density=0.01, separation=0.3, random_state=0
)
for name, view in data.views.items():
    words = f"{view.shape[1]:,} words, {view.nnz / view.shape[0]:.0f} of them in a document"
    print(f"{name}: {type(view).__name__}, {view.shape[0]} documents, {words}")

model = AnchorGraphClustering(n_clusters=6, random_state=0).fit(data.views)  # scale="auto" finds that these are counts
scores = clustering_scores(data.labels, model.labels_)
print(f"ACC {scores['acc']:.3f}  NMI {scores['nmi']:.3f}")
