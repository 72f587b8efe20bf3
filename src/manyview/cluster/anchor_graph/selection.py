"""Results of a choice without labels: the values that were compared, their scores, and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from manyview.views.output import html_table


class CurvePoint(NamedTuple):
    """One number of clusters and its scores.

    Parameters
    ----------
    n_clusters : int
        K.
    stability : float
        S, the mean adjusted Rand index with the labels from subsamples.
    modularity : float
        Q, of the labels for two steps of the walk.
    gap : float
        Eigenvalue K of the walk minus the next one.
    score : float
        ``Q sqrt(S)``.
    error : float
        Standard error of the score over the subsamples.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.model_selection import select
    >>> data = make_views(n_samples=200, n_clusters=4, random_state=0)
    >>> curve = select(data.views, n_clusters=range(2, 7), estimator=AnchorGraphClustering(random_state=0)).curve
    >>> max(curve, key=lambda point: point.score).n_clusters
    4
    """

    n_clusters: int
    stability: float
    modularity: float
    gap: float
    score: float
    error: float


class Trial(NamedTuple):
    """Other parameters at the chosen K, scored in the same way.

    Parameters
    ----------
    params : dict
        The parameters that were tried.
    stability, modularity, score, error : float
        As for :class:`CurvePoint`.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.model_selection import select
    >>> data = make_views(n_samples=200, n_clusters=4, random_state=0)
    >>> selection = select(data.views, n_clusters=4, param_grid={"n_anchors": [60, 90]})
    >>> [trial.params for trial in selection.trials]
    [{'n_anchors': 60}, {'n_anchors': 90}]
    """

    params: Mapping[str, Any]
    stability: float
    modularity: float
    score: float
    error: float


@dataclass(frozen=True, repr=False)
class Selection:
    """A choice without labels, the values it was made from, and the reason.

    ``print(selection)`` shows the curve, with ``>`` at the choice and ``*`` at the others of the shortlist;
    ``AnchorGraphClustering(**selection.params)`` uses the choice.

    Parameters
    ----------
    n_clusters : int
        The choice.
    curve : tuple of CurvePoint
        In the order of K; empty where K was given.
    reason : str
        Why, in a sentence.
    params : dict
        Parameters of the estimator: ``n_clusters``, and those for which candidates were given.
    trials : tuple of Trial
        Other parameters that were compared.
    shortlist : tuple of int
        The choice, and the best of coarser and finer resolutions, in the order of K.
    structure : float or None
        Score beyond that of data without clusters; None if that was not asked.

    Examples
    --------
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.model_selection import select
    >>> data = make_views(n_samples=200, n_clusters=4, random_state=0)
    >>> selection = select(data.views, n_clusters=range(2, 7), estimator=AnchorGraphClustering(random_state=0))
    >>> selection.n_clusters, len(selection.curve)
    (4, 5)
    """

    n_clusters: int
    curve: tuple[CurvePoint, ...]
    reason: str
    params: Mapping[str, Any]
    trials: tuple[Trial, ...] = ()
    shortlist: tuple[int, ...] = ()
    structure: float | None = None

    def __repr__(self) -> str:
        return f"Selection({_written(self.params)}; {len(self.curve)} values of K, {len(self.trials)} trials)"

    def _mark(self, n_clusters: int) -> str:
        return ">" if n_clusters == self.n_clusters else "*" if n_clusters in self.shortlist else " "

    def __str__(self) -> str:
        lines = [self.reason]
        if self.curve:
            lines.append("    K  stability  modularity    gap  score  error")
            lines += [
                f"{self._mark(c.n_clusters)} {c.n_clusters:3d}  {c.stability:9.3f}  "
                f"{c.modularity:10.3f}  {c.gap:5.3f}  {c.score:5.3f}  {c.error:5.3f}"
                for c in self.curve
            ]
        if self.trials:
            lines.append("  stability  modularity  score  error  parameters")
            lines += [
                f"  {t.stability:9.3f}  {t.modularity:10.3f}  {t.score:5.3f}  {t.error:5.3f}  {_written(t.params)}"
                for t in self.trials
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        curve = [(f"{self._mark(c.n_clusters)} {c.n_clusters}".strip(), *_digits(c[1:])) for c in self.curve]
        trials = [(_written(t.params), *_digits(t[1:])) for t in self.trials]
        return (
            f"<div><p>{escape(self.reason)}</p>"
            + (html_table(("K", "stability", "modularity", "gap", "score", "error"), curve) if curve else "")
            + (html_table(("parameters", "stability", "modularity", "score", "error"), trials) if trials else "")
            + "</div>"
        )


def _digits(values: Sequence[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


def _written(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in params.items())
