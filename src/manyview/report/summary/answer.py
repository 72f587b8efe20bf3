"""The answer in a few sentences: how many clusters, how stable, how sure, which views decided, and what to doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np

if TYPE_CHECKING:
    from manyview.report.summary import Summary
    from manyview.report.summary.enrichment import Finding

# Limits for mean Jaccard indices, from Hennig, Cluster-wise assessment of cluster stability (2007): below 0.5 a
# cluster dissolves, from 0.75 on it is stable.
DISSOLVES, PARTLY, STABLE = 0.5, 0.6, 0.75
ONE_GIVEN = "There is one cluster, so nothing here separates the samples."
NONE_FOUND = (
    "Do not read groups into the map: a layout of pure noise has clumps, too. If you expect groups, look for columns "
    "that hide them, clean the views or leave some out, and fit again."
)


class Answer(TypedDict):
    """The main result in a few sentences."""

    headline: str
    sentences: list[str]
    doubts: list[str]


def answer(summary: Summary, /) -> Answer:
    """Say what the other sections add up to."""
    return Answer(
        headline=_headline(summary),
        sentences=[
            sentence
            for sentence in (_number(summary), _stability(summary), _sureness(summary), _views(summary))
            if sentence
        ],
        doubts=_doubts(summary),
    )


def _headline(summary: Summary) -> str:
    K, n = summary["n_clusters"], summary["n_samples"]
    if K == 1 and summary["selection"] is not None:
        return f"No structure beyond chance in {n:,} samples"
    counted = f"{K} {'cluster' if K == 1 else 'clusters'} in {n:,} samples"
    return f"{counted}, no more stable than chance" if _is_chance(summary) else counted


def _is_chance(summary: Summary) -> bool:
    stability = mean_stability(summary)
    return summary["n_clusters"] > 1 and stability is not None and stability < _by_chance(summary)


def mean_stability(summary: Summary, /) -> float | None:
    """Return the mean stability of the clusters; None where the method does not measure it."""
    found = [cluster["stability"] for cluster in summary["clusters"] if cluster["stability"] is not None]
    return float(np.mean(found)) if found else None


def stability_by_chance(n_clusters: int, n_samples: int, /) -> float:
    """Return a mean stability that clusters of pure noise do not exceed.

    Measured with independent Gaussian views, 200 to 2,500 samples: at most 0.62 for 2 clusters, 0.44 for 3, 0.38 for
    5, and 0.30 for 10 and 20; with 5 samples per cluster up to 0.50.
    """
    small = 0.55 if n_samples < 10 * n_clusters else 0.35
    return max(0.25 + 0.8 / n_clusters, small)


def _by_chance(summary: Summary) -> float:
    return stability_by_chance(summary["n_clusters"], summary["n_samples"])


def _number(summary: Summary) -> str:
    if summary["selection"] is None:
        wanted = summary["n_requested"]
        if wanted is not None and wanted > summary["n_clusters"]:
            return f"{wanted} clusters were asked for, {wanted - summary['n_clusters']} of them stayed empty."
        return "The number of clusters was given, not chosen."
    if summary["n_clusters"] == 1:
        n = len(summary["selection"]["curve"])
        return (
            f"{n} numbers of clusters were tried. None gives clusters that are "
            "clearer than those in the same columns with shuffled rows, so all samples stay together."
        )
    return f"The number of clusters was chosen from the data, among {len(summary['selection']['curve'])} candidates."


def _stability(summary: Summary) -> str:
    stability = mean_stability(summary)
    if stability is None or summary["n_clusters"] == 1:
        return ""
    if _is_chance(summary):
        return f"The clusters are not stable: subsamples lead to other clusters (mean Jaccard index {stability:.2f})."
    strength = "stable" if stability >= STABLE else "partly stable" if stability >= PARTLY else "weakly stable"
    return f"The clusters are {strength}: subsamples lead back to them with a mean Jaccard index of {stability:.2f}."


def _sureness(summary: Summary) -> str:
    confidence = summary["confidence"]
    if confidence is None or summary["n_clusters"] == 1:
        return ""
    median, low = f"{confidence['median']:.2f}", f"{confidence['low']:.2f}"
    if median == low == "1.00":
        return "Nearly all samples are as far inside their cluster as can be (confidence 1.00)."
    if low == "0.00":
        return f"The median confidence of a sample is {median}; at least a tenth lies between two clusters (0.00)."
    return f"The median confidence of a sample is {median}; the least certain tenth lies below {low}."


def _views(summary: Summary) -> str:
    weighted = [(view["weight"], view["name"]) for view in summary["views"] if view["weight"] is not None]
    if len(weighted) < 2 or summary["n_clusters"] == 1:
        return ""
    weights = [weight for weight, _ in weighted]
    if max(weights) - min(weights) < 0.02:
        return f"All {len(weighted)} views count about alike."
    named = [f"{name} ({weight:.0%})" for weight, name in sorted(weighted, key=lambda pair: -pair[0])[:3]]
    return f"The views that count most are {', '.join(named[:-1])} and {named[-1]}."


def _doubts(summary: Summary) -> list[str]:
    return [
        *_doubt_structure(summary),
        *_doubt_clusters(summary),
        *_doubt_batches(summary),
        *_doubt_missing(summary),
        *_doubt_views(summary),
        *_doubt_fit(summary),
    ]


def _doubt_structure(summary: Summary) -> list[str]:
    stability = mean_stability(summary)
    if summary["n_clusters"] == 1:
        return [ONE_GIVEN if summary["selection"] is None else NONE_FOUND]
    if stability is None:
        return [
            f"{summary['run']['method']} measures neither stability nor confidence: nothing here says how far to "
            "trust it."
        ]
    if _is_chance(summary):
        return [
            f"Nothing shows structure beyond chance at K = {summary['n_clusters']}: pure noise gives clusters as "
            "stable as these. Try another number of clusters before you read anything into them."
        ]
    return []


def _doubt_clusters(summary: Summary) -> list[str]:
    doubts, stability = [], mean_stability(summary)
    if summary["n_clusters"] == 1:
        return []
    if stability is not None and stability >= _by_chance(summary):
        weak = [
            (c["label"], c["stability"])
            for c in summary["clusters"]
            if c["stability"] is not None and c["stability"] < DISSOLVES
        ]
        if weak:
            named = _listed([f"{label} ({value:.2f})" for label, value in sorted(weak, key=lambda pair: pair[1])])
            doubts.append(
                f"{_cluster(len(weak))} {named} often {_verb(len(weak), 'dissolves', 'dissolve')} in subsamples "
                "(low stability)."
            )
    torn = [
        (c["label"], c["contradicted"] / c["size"])
        for c in summary["clusters"]
        if c["contradicted"] and c["contradicted"] >= c["size"] / 4
    ]
    if torn:
        named = _listed([f"{label} ({share:.0%})" for label, share in sorted(torn, key=lambda pair: -pair[1])])
        doubts.append(
            f"Most of the views' weight is for another cluster in many samples of {_cluster(len(torn)).lower()} "
            f"{named}."
        )
    tiny = [str(c["label"]) for c in summary["clusters"] if c["size"] < 5]
    if tiny:
        doubts.append(f"{_cluster(len(tiny))} {_listed(tiny)} {_verb(len(tiny), 'has', 'have')} fewer than 5 samples.")
    return doubts


def _doubt_batches(summary: Summary) -> list[str]:
    """Write one sentence per batch column, about the cluster that follows it most."""
    found = summary["enrichment"]
    columns: dict[str, list[Finding]] = {}
    for batch in [] if found is None else found["batches"]:
        columns.setdefault(batch["column"], []).append(batch)
    doubts = []
    for column, (first, *others) in columns.items():
        doubt = (
            f"Cluster {first['cluster']} is {column} {first['category']}: {first['inside']:.0%} of its samples, "
            f"{first['outside']:.0%} of the others. It may be a batch effect."
        )
        also = sorted({other["cluster"] for other in others} - {first["cluster"]})
        if also:
            named = _listed([str(cluster) for cluster in also])
            doubt += f" {_cluster(len(also))} {named} {_verb(len(also), 'follows', 'follow')} {column}, too."
        doubts.append(doubt)
    return doubts


def _doubt_missing(summary: Summary) -> list[str]:
    missing = summary["missing_by_cluster"]
    if missing is None or summary["n_clusters"] == 1:
        return []
    shares = np.array(missing["shares"], dtype=np.float64)  # (K, V)
    sizes = np.array([cluster["size"] for cluster in summary["clusters"]])
    doubts = []
    for k, v in np.argwhere(shares >= 0.8).tolist():
        others = np.arange(len(sizes)) != k
        elsewhere = float(np.average(shares[others, v], weights=sizes[others]))
        if elsewhere <= 0.4:
            doubts.append(
                f"Cluster {missing['clusters'][k]} is mostly samples without {missing['names'][v]} "
                f"({shares[k, v]:.0%}, elsewhere {elsewhere:.0%}): it may be a cluster of what is missing."
            )
    return doubts


def _doubt_views(summary: Summary) -> list[str]:
    left_out = [view["name"] for view in summary["views"] if view["left_out"]]
    if not left_out:
        return []
    return [
        f"{_listed(left_out)} {_verb(len(left_out), 'was', 'were')} left out, as unrelated to the clusters that the "
        "other views show."
    ]


def _doubt_fit(summary: Summary) -> list[str]:
    doubts = []
    course, selection = summary["convergence"], summary["selection"]
    if course is not None and course["converged"] is False:
        doubts.append(f"The iteration stopped after {course['n_iter']} steps, before it had converged: raise max_iter.")
    if selection is not None and "no K is stable" in selection["reason"]:
        doubts.append("No number of clusters was stable: take the chosen one as a suggestion.")
    return doubts


def _cluster(n: int) -> str:
    return "Cluster" if n == 1 else "Clusters"


def _verb(n: int, one: str, many: str) -> str:
    return one if n == 1 else many


def _listed(names: list[str], most: int = 5) -> str:
    shown = names[:most]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
