"""What a choice without labels consists of: the values that were compared, their scores, and the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class CurvePoint(NamedTuple):
    """One number of clusters and its scores."""

    n_clusters: int
    stability: float  # S: mean adjusted Rand index with the labels from subsamples
    modularity: float  # Q
    gap: float  # lambda_K - lambda_(K+1), eigenvalues of the walk
    score: float  # Q sqrt(S)
    error: float  # standard error of the score, over the parts


class Trial(NamedTuple):
    """Other parameters at the chosen K, scored in the same way."""

    params: Mapping[str, Any]
    stability: float
    modularity: float
    score: float
    error: float


@dataclass(frozen=True, repr=False)
class Selection:
    """What was chosen without labels, from what, and why.

    ``print(selection)`` shows the curve, with ``>`` at the choice and ``*`` at the others of the shortlist;
    ``AnchorGraphClustering(**selection.params)`` uses the choice.
    """

    n_clusters: int
    curve: tuple[CurvePoint, ...]  # in the order of K; empty where K was given
    reason: str
    params: Mapping[str, Any]  # of the estimator: n_clusters, and those for which candidates were given
    trials: tuple[Trial, ...] = ()
    shortlist: tuple[int, ...] = ()  # the choice, and the best of coarser and finer resolutions; in the order of K
    structure: float | None = None  # score beyond data without clusters; None if that was not asked

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


def _written(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in params.items())
