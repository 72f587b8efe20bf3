"""One function for all choices that need no labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from manyview.cluster import SemiNTF
from manyview.cluster.parameters import check_parameters, check_sizes
from manyview.cluster.semi_ntf.automatic import FEWEST, choose_on
from manyview.cluster.semi_ntf.constraints import CONSTRAINTS
from manyview.cluster.semi_ntf.engines import engine_for
from manyview.cluster.semi_ntf.graphs import Draw, build_graphs, reporter
from manyview.cluster.semi_ntf.n_clusters import Embedded, Selection, Trial, embed
from manyview.cluster.semi_ntf.settings import resolve
from manyview.engine import Engine
from manyview.model_selection.trials import trial
from manyview.views import Views, check_views


def select(
    views: Any,
    /,
    *,
    estimator: SemiNTF | None = None,
    n_clusters: int | str | Iterable[int] = "auto",
    n_anchors: Sequence[int] | None = None,
    lam: Sequence[float | str] | None = None,
    p: Sequence[float] | None = None,
) -> Selection:
    r"""Choose the number of clusters, and if asked anchors, lambda and p, without labels.

    .. math:: \mathrm{score}(K) = Q(K)\,\sqrt{S(K)}

    Q is the modularity of the labels for two steps of the random walk on the fused anchor graph; S is the mean
    adjusted Rand index between these labels and those that random parts of the rows lead to. The smallest K within one
    standard error of the best score is chosen, unless one eigengap is wider than all others together: then it decides.
    The graph is built once; every K reads the same spectrum. The other
    parameters are compared afterward, at the chosen K, by whole fits on that many rows and on parts of them: of the
    trials within one standard error of the best, the first in the order given.

    Parameters
    ----------
    views : list or dict of tables, Views, or one table
        As for :meth:`SemiNTF.fit`.
    estimator : SemiNTF, optional
        Whose other parameters (scale, anchors, coupling, random_state, …) are used; ``SemiNTF()`` by default. Its
        ``n_clusters`` is not looked at. For the paper's variant K is chosen on the default graph.
    n_clusters : "auto", int, or several int, default="auto"
        ``"auto"`` looks at 2, 3, … 12 and on in steps of a fifth, up to a quarter of the anchors, leaves the scale when
        no larger K can win, and fills in the neighborhood of the best. An int is taken as given.
    n_anchors, lam, p : sequence, optional
        Candidates. ``lam`` and ``p`` need a coupling that has them, e.g. ``SemiNTF(coupling="clusters")``.

    Returns
    -------
    Selection
        ``n_clusters``, ``params``, ``curve`` (K, stability, modularity, gap, score, error), ``trials``, ``reason``.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> from manyview.model_selection import select
    >>> data = make_views(n_samples=200, n_clusters=4, random_state=0)
    >>> selection = select(data.views, n_clusters=range(2, 8), estimator=SemiNTF(random_state=0))
    >>> selection.n_clusters, [candidate.n_clusters for candidate in selection.curve]
    (4, [2, 3, 4, 5, 6, 7])
    >>> SemiNTF(**selection.params).n_clusters
    4
    """
    base = SemiNTF() if estimator is None else clone(estimator)
    base.set_params(n_clusters=FEWEST)
    check_parameters(base, CONSTRAINTS)
    _check_candidates(base, n_anchors, lam, p)
    checked = check_views(views, ranges=base.views, lazy=True, rows_may_miss=True)
    numbers = _numbers(n_clusters, len(checked))
    seed = int(check_random_state(base.random_state).randint(np.iinfo(np.int32).max))
    ready, engine = engine_for(base, checked)
    progress = reporter(base.verbose)
    plain = base if base.variant == "default" else SemiNTF(dtype=base.dtype)  # the graph on which K is chosen
    with engine.running():
        built = build_graphs(ready, resolve(plain, len(ready), seed, n_clusters=FEWEST), engine, progress)
        if numbers is not None and len(numbers) == 1:
            K = numbers[0]
            selection = Selection(K, (), f"K = {K} was given.", {"n_clusters": K})
        else:
            selection = choose_on(built, engine, progress, seed=seed, candidates=numbers)
        if n_anchors is None and lam is None and p is None:
            return selection
        yardstick = embed(built.graph, built.sample, engine, selection.n_clusters, seed=seed)
        trials = _trials(ready, base, built, yardstick, engine, selection.n_clusters, seed, n_anchors, lam, p)
    return _with_trials(selection, trials, n_anchors is not None, lam is not None, p is not None)


def _check_candidates(base: SemiNTF, n_anchors: Any, lam: Any, p: Any) -> None:
    if base.coupling == "shared" and (lam is not None or p is not None):
        raise ValueError(
            "lam and p have no effect with coupling='shared': pass estimator=SemiNTF(coupling='clusters'), or leave "
            "them out."
        )
    if not isinstance(base.init, str) and any(c is not None for c in (n_anchors, lam, p)):
        raise ValueError("Trials on parts of the rows cannot start from given labels: use init='spectral'.")
    if n_anchors is not None and not isinstance(base.anchors, str):
        raise ValueError("anchors names rows, so n_anchors is not to choose.")
    for name, values in (("n_anchors", n_anchors), ("lam", lam), ("p", p)):
        if values is not None and not len(values):
            raise ValueError(f"{name} has no candidates: give some, or None.")
        for value in values or ():
            check_parameters(clone(base).set_params(**{name: value}), {name: CONSTRAINTS[name]})


def _numbers(n_clusters: int | str | Iterable[int], n_samples: int) -> list[int] | None:
    """The candidates for K in order; None for "auto"."""
    if isinstance(n_clusters, str):
        if n_clusters != "auto":
            raise ValueError(f"n_clusters must be 'auto', an integer or several integers; got {n_clusters!r}.")
        check_sizes(n_samples, FEWEST)
        return None
    given = [n_clusters] if isinstance(n_clusters, int | np.integer) else list(n_clusters)
    least = 1 if len(given) == 1 else FEWEST
    if not given or any(not isinstance(K, int | np.integer) or isinstance(K, bool) or least > K for K in given):
        raise ValueError(f"n_clusters must be 'auto' or integers of at least {least}; got {given}.")
    check_sizes(n_samples, max(given))
    return sorted({int(K) for K in given})


def _trials(
    views: Views,
    base: SemiNTF,
    built: Draw,
    yardstick: Embedded,
    engine: Engine,
    K: int,
    seed: int,
    n_anchors: Sequence[int] | None,
    lam: Sequence[float | str] | None,
    p: Sequence[float] | None,
) -> list[Trial]:
    trials = []
    for m in [base.n_anchors] if n_anchors is None else n_anchors:
        settings = resolve(clone(base).set_params(n_anchors=m), len(views), seed, n_clusters=K)
        same = base.variant == "default" and settings.n_anchors == built.graph.n_anchors
        graphs = built if same else build_graphs(views, settings, engine, reporter(base.verbose))
        weights = None
        for strength, power in product([base.lam] if lam is None else lam, [base.p] if p is None else p):
            relative = isinstance(strength, str)
            varied = replace(settings, lam=None if relative else float(strength), p=float(power))
            result, weights = trial(graphs, varied, yardstick, engine, weights=weights)
            trials.append(result)
    return trials


def _with_trials(selection: Selection, trials: list[Trial], anchors: bool, lam: bool, p: bool) -> Selection:
    best = max(trials, key=lambda t: t.score)
    chosen = next(t for t in trials if t.score >= best.score - best.error)
    params = dict(selection.params)
    params |= {"n_anchors": chosen.n_anchors} if anchors else {}
    params |= {"lam": "auto" if chosen.lam is None else chosen.lam} if lam else {}
    params |= {"p": chosen.p} if p else {}
    others = ", ".join(f"{name} = {value}" for name, value in params.items() if name != "n_clusters")
    how = "the best" if chosen is best else f"the first within one standard error of the best, {best.score:.3f},"
    reason = f"{selection.reason[:-1]}; {others}: {how} of {len(trials)} trials, score {chosen.score:.3f}."
    return replace(selection, reason=reason, params=params, trials=tuple(trials))
