"""Every constant that shapes the default, in one place; an ablation is a fit with another recipe."""

from __future__ import annotations

from dataclasses import dataclass

from manyview.geometry import DEFAULT_OPTIONS, GeometryOptions


@dataclass(frozen=True)
class Recipe:
    """Constants of the default method.

    None of them was chosen for a single data set; ``docs/quality.md`` has what each choice is worth.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering, Recipe
    >>> AnchorGraphClustering(n_clusters=3, recipe=Recipe(n_draws=1)).recipe.n_draws
    1
    """

    # Geometry
    geometry: GeometryOptions = DEFAULT_OPTIONS  #: scalings of the views
    partial_whitening: bool = True  #: divide the principal scores of dense views by the fourth root of their variance

    # Graphs
    n_anchor_rows: int = 20_000  #: rows on which k-means looks for anchors,
    n_seeding_rows: int = 5_000  #: rows among which its seeds are chosen,
    n_joint_scores: int = 100  #: and principal scores of the joint table in which it runs
    min_anchors: int = 500  #: the number of anchors is at least this, if there are as many rows
    anchors_per_cluster: int = 10  #: and at least this many times the number of clusters
    max_fine_rows: int = 5_000  #: with more rows, anchors are finer:
    fine_anchors: int = 1_500  #: at least this many,
    fine_anchors_per_cluster: int = 30  #: and this many times the number of clusters,
    rows_per_anchor: int = 4  #: but at most one for so many rows
    max_anchors: int = 4_000  #: beyond this, A'A takes longer than all rows do
    min_anchors_per_cluster: int = 2  #: whatever the limits above say
    n_neighbors: tuple[int, ...] = (10, 5)  #: anchors tied to a row; weights are averaged over these numbers
    n_draws: int = 4  #: sets of anchors that are drawn, because a single draw is an accident on small data
    max_drawn_rows: int = 5_000  #: with more rows a single draw is made
    n_sampled_rows: int = 20_000  #: rows on which weights and candidates are found; all rows are then labeled alike
    max_double_rows: int = 5_000  #: rows up to which dtype="auto" keeps double precision

    # Candidates
    #: (r, t): diffusion embedding with r K + 1 vectors (K for r = 1) after t steps of the random walk
    embeddings: tuple[tuple[float, int], ...] = ((1.0, 1), (1.5, 1), (1.5, 4), (2.0, 2), (2.0, 4), (3.0, 3), (3.0, 4))
    max_embedded_clusters: int = 200  #: with more clusters the first embedding alone is clustered
    n_init: int = 2  #: starts of k-means per embedding
    n_clustered_rows: int = 5_000  #: rows on which k-means runs, and
    clustered_rows_per_cluster: int = 100  #: at least so many times the number of clusters
    candidate_graphs: tuple[str, ...] = ("joint", "weighted")  #: fused graphs whose candidates compete
    n_row_neighbors: int = 10  #: beyond max_drawn_rows, nearest rows of a sampled row in graphs of the rows themselves,
    #: and (r, t) of the embeddings of these; a step there is shorter than one over anchors
    row_embeddings: tuple[tuple[float, int], ...] = ((1.0, 1), (1.5, 4), (2.0, 8))
    smoothness_power: float = 1.5  #: weight of a slice: 1 / (1 - smoothness) to this power

    # Consensus
    separation_weight: float = 1.25  #: of the separation, per unit of agreement; up to 2 the scores stay the same
    modularity_weight: float = 5.0  #: of the modularity on nearest rows, which takes its place beyond max_drawn_rows
    vote_power: float = 4.0  #: a candidate votes with this power of its ARI with the best one

    # Plain candidates
    n_plain_init: int = 4  #: starts of k-means in a joint table; one beyond max_embedded_clusters
    min_half_explained: float = 0.5  #: share of the dependence between views below which no such rule is looked for
    min_explained: float = 0.95  #: share of the dependence between views that a plain candidate must explain
    #: by how much a plain candidate must be smoother on the views, in the mean of -log(1 - b)
    min_smoother: float = 0.05
    min_known: float = 0.9  #: share of the rows known in all views; a linear rule takes a missing row for a mean one

    # Noise views
    n_evidence_rows: int = 5_000  #: rows on which views are compared
    min_shared_rows: int = 100  #: with fewer rows that both know, nothing is said about two views
    n_evidence_scores: int = 60  #: principal scores of a view, and
    n_evidence_columns: int = 400  #: columns as they came, that are compared
    max_squared_correlation: float = 0.9  #: mean over canonical pairs; more have only a view and its copy
    significance: float = 5.0  #: standard deviations beyond chance at which columns depend on each other for certain,
    doubt: float = 3.0  #: and at which they may: a view that may depend on another one is kept
    min_agreement: float = 0.25  #: of a view, relative to the best one; noise mostly has less than 0.15
    min_agreement_of_many_rows: float = 0.18  #: the same beyond max_drawn_rows, where weak views help, too
    min_agreement_of_counts: float = 0.1  #: the same for sparse counts, which say little about most rows
    min_best_agreement: float = 0.2  #: labels that no view supports prove nothing against any view
    min_judged_rows: int = 100  #: with fewer rows no view is judged

    # Number of clusters
    weight_clusters: tuple[int, ...] = (2, 4, 8, 16, 32)  #: numbers of clusters from which slices get their weights,
    n_weight_rounds: int = 2  #: in so many rounds
    n_scored_rows: int = 5_000  #: rows that are clustered for every number
    min_rows_per_shown_cluster: int = 4  #: fewer rows, or anchors, cannot show a cluster
    max_dense_clusters: int = 12  #: every number up to this is scored, then only those
    cluster_ratio: float = 1.2  #: that are larger by this factor; the neighborhood of the best is filled in
    n_stability_samples: int = 6  #: subsamples of the rows behind the stability of a number
    patience: int = 3  #: numbers in a row that cannot win, before the search ends
    min_decisive_gap: float = 0.15  #: of the eigenvalues, which decides alone if it is also
    min_decisive_ratio: float = 2.0  #: this many times the next; classes of real data have less
    null_clusters: tuple[int, ...] = (2, 3, 4, 6, 8, 12, 18, 27)  #: numbers at which clusters are compared with nulls
    resolution: float = 1.5  #: a coarser or finer choice on the short list differs by this factor,
    min_plausible: float = 0.8  #: and has at least this share of the best score
    n_nulls: int = 2  #: data sets with shuffled columns that the clusters are compared with
    n_null_rows: int = 2_000  #: rows of the largest of them
    min_structure: float = 0.06  #: beyond them; noise has at most 0.04, data with classes 0.095 and more

    # Reliability
    n_subsamples: int = 8  #: random subsamples behind the stability of clusters
    n_subsampled_rows: int = 5_000  #: rows of the largest of them
    subsample_share: float = 0.8  #: of the rows that a subsample has
    subsample_embedding: tuple[float, int] = (2.0, 2)  #: (r, t) of its diffusion embedding
    outlier_fence: float = 3.0  #: interquartile ranges beyond the third quartile: the outer fence of a box plot


DEFAULT = Recipe()
