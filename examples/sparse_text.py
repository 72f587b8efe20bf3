"""Word counts of the same documents in five languages, as sparse matrices that are never made dense."""

from manyview import SemiNTF
from manyview.datasets import make_like
from manyview.metrics import clustering_scores

data = make_like("reuters", n_samples=1200, random_state=0)  # synthetic, with the widths of the Reuters collection
for name, view in data.views.items():
    print(f"{name}: {view.shape[0]} documents x {view.shape[1]:,} words, {view.nnz / view.shape[0]:.0f} a document")

model = SemiNTF(n_clusters=6, random_state=0).fit(data.views)  # scale="auto" finds that these are counts
scores = clustering_scores(data.labels, model.labels_)
print(f"ACC {scores['acc']:.3f}  NMI {scores['nmi']:.3f}  after {model.n_iter_} iterations")
