"""SemiNTF, the estimator: the tensor of anchor graphs, a start, and the factorization."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal, Self

import numpy as np

from manyview.cluster.anchor_graph.candidates import embed_rows
from manyview.cluster.anchor_graph.context import Anchors
from manyview.cluster.anchor_graph.estimator import AnchorClusterer
from manyview.cluster.anchor_graph.fusion import first_weights
from manyview.cluster.anchor_graph.memory import Factors
from manyview.cluster.anchor_graph.recipe import Recipe
from manyview.cluster.anchor_graph.stages import build_graphs_for_k, keep_results, label_by_consensus, running_fit
from manyview.cluster.base import RandomState
from manyview.cluster.checks import all_or_nothing, check_parameters, refuse_second_table, warn_of_lost_clusters
from manyview.cluster.progress import Progress
from manyview.cluster.semi_ntf.admm import Factorization, factorize
from manyview.cluster.semi_ntf.checkpoint import checkpoint_for
from manyview.cluster.semi_ntf.coupling import CouplingName
from manyview.cluster.semi_ntf.labels import LabelsFrom, better_labels, labels_of_H, memberships_of_H
from manyview.cluster.semi_ntf.settings import CONSTRAINTS, PAPER, Start, check_modes, resolve_factors
from manyview.cluster.semi_ntf.tensor import find_start, graph_tensor, shared_tensor
from manyview.cluster.semi_ntf.warnings import warn_of_residuals, warn_of_row_order
from manyview.engine import BLOCK_ROWS, Engine, EngineName
from manyview.geometry import Scale
from manyview.kernels.arrays import FloatArray
from manyview.views import ViewsLike
from manyview.views.ranges import Ranges


class SemiNTF(AnchorClusterer):
    r"""Multi-view clustering by semi-non-negative tensor factorization of anchor graphs.

    .. math:: \min \sum_l w_l \|S_l - H_l G_l^T\|_F^2 + \lambda \|\mathcal{H}\|_{Sp}^p,
              \quad H_l \ge 0,\; H_l^T H_l = I

    The anchor graphs :math:`S_l` of all views are factorized from a given start: an orthogonal non-negative indicator
    H, and a small factor G. By default the graphs, their weights and the start are those of
    :class:`AnchorGraphClustering`, and all slices share one H, the limit of an infinitely strong coupling; the other
    couplings keep one H per slice and pull them together by a tensor Schatten p-norm. :meth:`paper` is the published
    Algorithm 1.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters K; ``"auto"`` chooses it as :class:`AnchorGraphClustering` does.
    variant : {"default", "paper"}, default="default"
        ``"paper"`` factorizes the anchor graphs of the views as they are: no joint slice, no slice weights, no
        degree normalization, four steps of the scalar threshold, labels from the mean of H. Use :meth:`paper`.
    start : {"consensus", "spectral", "identity", "random"} or array, default="consensus"
        Start of the factorization: the labels of the consensus, one k-means labeling of the fused graph, the identity
        of the paper, random labels; or labels (n_samples,), or a matrix (n_samples, n_clusters). With a
        ``view_transform`` other than the identity, every frequency but the first starts at the polar factor of a
        perturbed copy, drawn from ``random_state``; ``"identity"`` is the same at every frequency.
    coupling : {"shared", "clusters", "views", "samples"}, default="shared"
        Which matrices the tensor Schatten p-norm sees. ``"samples"`` is for rows with a real order (frames, time).
    view_transform : {"auto", "identity", "dft", "dct"}, default="auto"
        Orthogonality holds slice by slice in this domain along the views; ``"auto"`` is the identity. Only with one H
        per slice, like ``lam``, ``p`` and ``rho``: they raise an error if ``coupling="shared"``.
    lam : float or "auto", default="auto"
        Strength of the norm; ``"auto"`` is relative to the spectrum. A strong norm destroys the clusters; see
        ``labels_from_``.
    p : float in (0, 1] or "auto", default="auto"
        Power of the Schatten norm; ``"auto"`` is 0.5.
    mu : float, default=1
        Penalty of H - Q at the start.
    rho : float or "auto", default="auto"
        Penalty of H - J at the start; ``"auto"`` is 1.
    eta : float, default=1.15
        Growth of the penalties per iteration.
    max_iter, tol : int, float, default=200, 1e-2
        The loop stops when the largest entries of H - Q and Q - J are below ``tol * sqrt(K / N)``.
    scale, anchors, n_anchors, n_neighbors, dtype, engine, block_rows, scratch, n_jobs : as there
        As for :class:`AnchorGraphClustering`.
    views, recipe, random_state, verbose : as there
        As for :class:`AnchorGraphClustering`.

    Attributes
    ----------
    labels_, membership_, embedding_, confidence_, views_disagree_, cluster_stability_ : as there
        As for :class:`AnchorGraphClustering`. With ``variant="paper"`` the membership is the mean of H, and the
        confidence its largest minus its second largest entry.
    view_weights_, view_agreement_, views_left_out_, n_clusters_, selection_ : as there
        As for :class:`AnchorGraphClustering`.
    anchor_rows_ : ndarray of shape (m,), or None
        Rows that are the anchors, ascending; None if the anchors are means of several rows, as with ``"kmeans"``.
    labels_from_ : {"factorization", "start"}
        Where ``labels_`` come from: ``"start"`` if H lost a cluster, or explains less of the anchor graphs than the
        labels that it started from, which are then kept. ``indicator_``, ``factors_`` and ``history_`` are those of the
        factorization in any case; ``lam`` and the other parameters of the loop then have an effect on these alone.
    indicator_ : ndarray of shape (n_slices, n_samples, n_clusters)
        The non-negative factor H.
    factors_ : ndarray of shape (n_frequencies, m, n_clusters)
        The small factor G.
    history_, n_iter_, converged_ : dict of arrays, int, bool
        Objective, residual_HQ, residual_QJ, mu and rho of every iteration.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=300, n_clusters=4, random_state=0)
    >>> model = SemiNTF(n_clusters=4, random_state=0).fit(data.views)
    >>> model.indicator_.shape, model.predict(data.views)[:3].tolist() == model.labels_[:3].tolist()
    ((1, 300, 4), True)
    """

    def __init__(
        self,
        n_clusters: int | Literal["auto"] = 8,
        *,
        variant: Literal["default", "paper"] = "default",
        start: Start = "consensus",
        coupling: CouplingName = "shared",
        view_transform: Literal["auto", "identity", "dft", "dct"] = "auto",
        lam: float | Literal["auto"] = "auto",
        p: float | Literal["auto"] = "auto",
        mu: float = 1.0,
        rho: float | Literal["auto"] = "auto",
        eta: float = 1.15,
        max_iter: int = 200,
        tol: float = 1e-2,
        scale: Scale = "auto",
        anchors: Anchors = "kmeans",
        n_anchors: int | Literal["auto"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        dtype: Literal["auto", "float32", "float64"] = "auto",
        engine: Literal["auto"] | EngineName = "auto",
        block_rows: int = BLOCK_ROWS,
        scratch: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        views: Ranges = None,
        recipe: Recipe | None = None,
        random_state: RandomState = None,
        verbose: bool | Progress = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.start = start
        self.coupling = coupling
        self.view_transform = view_transform
        self.lam = lam
        self.p = p
        self.mu = mu
        self.rho = rho
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.scale = scale
        self.anchors = anchors
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.dtype = dtype
        self.engine = engine
        self.block_rows = block_rows
        self.scratch = scratch
        self.n_jobs = n_jobs
        self.views = views
        self.recipe = recipe
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(
        cls,
        n_clusters: int = 8,
        *,
        n_anchors: int | Literal["auto"] = "auto",
        lam: float = 1e3,
        p: float = 0.7,
        axis: Literal["views", "samples"] = "views",
        **changes: Any,
    ) -> SemiNTF:
        """Return Algorithm 1 of the paper.

        ``axis="views"`` is the paper's text; ``axis="samples"`` is what the group's released programs do in the
        J-step, and makes the result depend on the order of the rows. Every view is divided by its maximum, as in the
        group's scripts; the text scales nothing, which is ``scale="none"``.

        Parameters
        ----------
        n_clusters : int, default=8
            K.
        n_anchors : int or "auto", default="auto"
            Anchors.
        lam, p : float
            Weight and exponent of the Schatten p-norm.
        axis : {"views", "samples"}, default="views"
            Along which axis the tensor is transformed.
        **changes : Any
            Other parameters of `SemiNTF`.

        Returns
        -------
        SemiNTF
            Not fitted.

        Examples
        --------
        >>> from manyview import SemiNTF
        >>> SemiNTF.paper(n_clusters=4, n_anchors=24, lam=1e3, p=0.7, axis="views").coupling
        'views'
        """
        if axis not in ("views", "samples"):
            raise ValueError(f"axis must be 'views' or 'samples'; got {axis!r}.")
        return cls(n_clusters, **(PAPER | {"n_anchors": n_anchors, "coupling": axis, "lam": lam, "p": p} | changes))

    @all_or_nothing
    def fit(
        self, X: ViewsLike, y: Any = None, *, checkpoint: str | PathLike[str] | None = None, checkpoint_every: int = 10
    ) -> Self:
        """Cluster the rows of the views.

        Parameters
        ----------
        X : list or dict of tables, Views, or one table (divided by ``views``)
            As for :meth:`AnchorGraphClustering.fit`.
        y : ignored
        checkpoint : path, optional
            Directory in which the state is kept every ``checkpoint_every`` iterations. A fit that was killed, called
            again with the same data and parameters, goes on from there and ends with the same bits. ``max_iter`` and
            ``tol`` may differ: a finished fit can be continued.
        checkpoint_every : int, default=10
        """
        refuse_second_table(y)
        check_parameters(self, CONSTRAINTS)
        check_modes(self)
        warn_of_row_order(self.coupling)
        paper = self.variant == "paper"
        of_factors: Factors = "shared" if self.coupling == "shared" else "coupled"
        with running_fit(self, X, raw=paper, factors=of_factors) as (views, context):
            settings = resolve_factors(self, len(views), context.settings.n_clusters)
            # opened before the work: the directory may be no place to write to
            with checkpoint_for(self, views, (context.settings, settings), checkpoint, checkpoint_every) as keeper:
                draw, context, self.selection_ = build_graphs_for_k(self, views, context, factors=of_factors)
                engine, K = context.engine, context.settings.n_clusters
                found, chance = None, None
                if settings.needs_consensus:
                    embedded, found, scale, chance = label_by_consensus(views, draw, context)
                else:
                    embedded = embed_rows(draw, first_weights(draw.graph), None, context)
                start = find_start(settings.start, found, embedded, context)
                if settings.shared:
                    tensor = shared_tensor(embedded, scale, start, context)
                    slice_weights: FloatArray = np.ones(1)
                else:
                    tensor = graph_tensor(embedded, start, settings, context)
                    slice_weights = embedded.fusion.weights
                options = settings.options(len(slice_weights))
                context.progress("factorization", 0, options.max_iter)
                result = factorize(
                    tensor,
                    engine,
                    options,
                    progress=lambda done: context.progress("factorization", done, options.max_iter),
                    keeper=keeper,
                )
            labels = labels_of_H(result.rows, slice_weights, engine)
            self.labels_from_: LabelsFrom = "factorization"
            if paper:
                keep_results(self, embedded, labels, context, memberships=memberships_of_H(result.rows, engine))
            else:
                if start.labels is not None:
                    labels, self.labels_from_ = better_labels(labels, start.labels, result.rows, engine, K)
                keep_results(self, embedded, labels, context, chance=chance)
            self.anchor_rows_ = embedded.draw.anchor_rows
            self._keep_factors(result, engine)
        warn_of_lost_clusters(len(self.cluster_sizes_), K)
        warn_of_residuals(result, K, len(views), max_iter=options.max_iter, tol=options.tol)
        return self

    def _keep_factors(self, result: Factorization, engine: Engine) -> None:
        self.indicator_: FloatArray = engine.persist(lambda block: block.H.swapaxes(0, 1), result.rows).swapaxes(0, 1)
        self.factors_ = result.G
        self.history_ = {name: np.array(values) for name, values in result.history.items()}
        self.n_iter_, self.converged_ = result.n_iter, result.converged
