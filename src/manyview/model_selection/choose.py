"""One function for all choices that need no labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state

from manyview.cluster import AnchorGraphClustering, SemiNTF
from manyview.cluster.anchor_graph.context import (
    GRAPH_CONSTRAINTS,
    MIN_CLUSTERS,
    FitContext,
    check_graph_modes,
    engine_for,
    resolve,
)
from manyview.cluster.anchor_graph.graphs import build_graphs
from manyview.cluster.anchor_graph.n_clusters import choose_on, embed
from manyview.cluster.anchor_graph.selection import Selection, Trial
from manyview.cluster.checks import check_parameters, check_sizes
from manyview.cluster.progress import reporter
from manyview.model_selection.trials import score_trial
from manyview.views import ViewsLike, check_views


def select(
    views: ViewsLike,
    /,
    *,
    estimator: AnchorGraphClustering | SemiNTF | None = None,
    n_clusters: int | str | Iterable[int] = "auto",
    param_grid: Mapping[str, Sequence[Any]] | None = None,
) -> Selection:
    r"""Choose the number of clusters, and if asked other parameters, without labels.

    .. math:: \mathrm{score}(K) = Q(K)\,\sqrt{S(K)}

    Q is the modularity of the labels for two steps of the random walk on the fused anchor graph; S is the mean
    adjusted Rand index between these labels and those that random subsamples lead to. The smallest K within one
    standard error of the best score is chosen, unless one eigengap is far wider than all others: then it decides.
    Beside the choice, ``shortlist`` has the best of the coarser and of the finer resolutions. Clusters that are no
    better than those of the same columns, each shuffled on its own, are no clusters: then K is 1, and a
    :class:`NoStructureWarning` says so. Where 1 is not offered the best of the others is taken, with the warning.
    The graph is built once; every K uses the same spectrum. Other parameters are compared afterward, at the chosen K,
    by fits on the sampled rows and on subsamples of them: of the trials within one standard error of the best, the
    first in the order of the grid is chosen.

    Parameters
    ----------
    views : list or dict of tables, Views, or one table
        As for :meth:`AnchorGraphClustering.fit`.
    estimator : AnchorGraphClustering or SemiNTF, optional
        Its other parameters are used; ``AnchorGraphClustering()`` by default. Its ``n_clusters`` is ignored. For
        ``SemiNTF.paper`` K is chosen on the default graph.
    n_clusters : "auto", int, or several int, default="auto"
        ``"auto"`` tries 2, 3, … 12 and then steps of a fifth, up to a quarter of the anchors, stops when no larger K
        can win, and fills in the neighborhood of the best. An int is taken as given; 1 may be among several.
    param_grid : dict of parameter name to candidates, optional
        Other parameters of the estimator, for example ``{"n_anchors": [100, 500]}``.

    Returns
    -------
    Selection
        ``n_clusters``, ``params``, ``shortlist``, ``curve`` (K, stability, modularity, gap, score, error),
        ``structure``, ``trials``, ``reason``.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.model_selection import select
    >>> data = make_views(n_samples=200, n_clusters=4, random_state=0)
    >>> selection = select(data.views, n_clusters=range(2, 8), estimator=AnchorGraphClustering(random_state=0))
    >>> selection.n_clusters, [point.n_clusters for point in selection.curve]
    (4, [2, 3, 4, 5, 6, 7])
    >>> AnchorGraphClustering(**selection.params).n_clusters
    4
    """
    base = AnchorGraphClustering() if estimator is None else clone(estimator)
    graph_parameters = base.get_params() if getattr(base, "variant", "default") == "default" else {}
    shared = {name: graph_parameters[name] for name in AnchorGraphClustering().get_params() if name in graph_parameters}
    plain = AnchorGraphClustering(**shared | {"n_clusters": MIN_CLUSTERS})  # the graph on which K is chosen
    check_parameters(plain, GRAPH_CONSTRAINTS)
    check_graph_modes(plain)
    grid = _grid(base, param_grid)
    checked = check_views(views, ranges=base.views, lazy=True, rows_may_miss=True)
    numbers = _numbers(n_clusters, len(checked))
    seed = int(check_random_state(base.random_state).randint(np.iinfo(np.int32).max))
    ready, engine = engine_for(plain, checked)
    with engine.running():
        settings = resolve(plain, len(ready), seed, n_clusters=MIN_CLUSTERS)
        context = FitContext(engine, settings, reporter(plain))
        draw = build_graphs(ready, context)
        if numbers is not None and len(numbers) == 1:
            K = numbers[0]
            selection = Selection(K, (), f"K = {K} was given.", {"n_clusters": K}, shortlist=(K,))
        else:
            selection = choose_on(draw, context, candidates=numbers)
        if not grid or selection.n_clusters == 1:  # nothing to compare parameters by
            return selection
        yardstick = embed(draw, selection.n_clusters, context)
    sample = ready if draw.sample_rows is None else ready[draw.sample_rows]
    model = base.set_params(n_clusters=selection.n_clusters, views=None, random_state=seed)
    trials = [score_trial(clone(model).set_params(**params), params, sample, yardstick) for params in grid]
    return _with_trials(selection, trials)


def _grid(base: Any, param_grid: Mapping[str, Sequence[Any]] | None) -> list[dict[str, Any]]:
    """List the combinations, after a check of the names."""
    if param_grid is None:
        return []
    unknown = [name for name in param_grid if name not in base.get_params() or name == "n_clusters"]
    if unknown:
        raise ValueError(
            f"param_grid has {unknown[0]!r}, which is no parameter of {type(base).__name__} to choose; "
            "give candidates for K as n_clusters=."
        )
    empty = [name for name, values in param_grid.items() if isinstance(values, str) or not len(values)]
    if empty:
        raise ValueError(f"param_grid: {empty[0]} must be a list with at least one candidate.")
    return list(ParameterGrid(param_grid))


def _numbers(n_clusters: int | str | Iterable[int], n_samples: int) -> list[int] | None:
    """Return the candidates for K in order; None for "auto"."""
    if isinstance(n_clusters, str):
        if n_clusters != "auto":
            raise ValueError(f"n_clusters must be 'auto', an integer or several integers; got {n_clusters!r}.")
        check_sizes(n_samples, MIN_CLUSTERS)
        return None
    given = [n_clusters] if isinstance(n_clusters, int | np.integer) else list(n_clusters)
    if not given or any(not isinstance(K, int | np.integer) or isinstance(K, bool) or K < 1 for K in given):
        raise ValueError(f"n_clusters must be 'auto' or integers of at least 1; got {given}.")
    check_sizes(n_samples, max(given))
    return sorted({int(K) for K in given})


def _with_trials(selection: Selection, trials: list[Trial]) -> Selection:
    best = max(trials, key=lambda trial: trial.score)
    chosen = next(trial for trial in trials if trial.score >= best.score - best.error)
    params = {**selection.params, **chosen.params}
    others = ", ".join(f"{name} = {value}" for name, value in chosen.params.items())
    how = "the best" if chosen is best else f"the first within one standard error of the best, {best.score:.3f},"
    reason = f"{selection.reason[:-1]}; {others}: {how} of {len(trials)} trials, score {chosen.score:.3f}."
    return replace(selection, reason=reason, params=params, trials=tuple(trials))
