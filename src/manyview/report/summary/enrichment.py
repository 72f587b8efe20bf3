"""What metadata say about clusters: categories that are more frequent inside, numbers that are shifted.

    category c in cluster k:  P(X >= observed), X hypergeometric      effect: odds ratio, with 1/2 added to every cell
    number in cluster k:      Mann-Whitney U against the rest         effect: rank-biserial correlation, -1 to 1

p values are adjusted by Benjamini and Hochberg over all tests of all columns. The clusters were not made from the
metadata, so the tests are honest as long as no view holds the same column.
"""

from __future__ import annotations

import re
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom, norm, rankdata

from manyview.report.summary.inputs import Inputs, categories, is_numeric

BATCH = re.compile(r"(^|[\W_])(batch|plate|run|site|center|centre|lane|chip|scanner|tissue_source)([\W_]|$|\d)", re.I)


class Finding(TypedDict):
    """One column against one cluster."""

    column: str
    cluster: int
    category: str | None  # None: a number
    inside: float  # share of the category, or median
    outside: float
    effect: float  # odds ratio, or rank-biserial correlation
    p: float
    adjusted_p: float


class Enrichment(TypedDict):
    """All findings that survive the adjustment, strongest first, and how many tests there were."""

    findings: list[Finding]
    n_tests: int
    columns: list[str]  # that were tested
    skipped: list[str]  # identifiers and constants
    batches: list[Finding]  # clusters that are mostly one batch


def enrichment(inputs: Inputs, /) -> Enrichment | None:
    """Test every metadata column against every cluster."""
    if not inputs.metadata:
        return None
    tests: list[Finding] = []
    tested: list[str] = []
    skipped: list[str] = []
    for name, column in inputs.metadata.items():
        found = _numbers(inputs, name, column) if is_numeric(column) else _categories(inputs, name, column)
        (tested if found else skipped).append(name)
        tests += found
    for test, adjusted in zip(tests, benjamini_hochberg(np.array([test["p"] for test in tests])), strict=True):
        test["adjusted_p"] = float(adjusted)
    kept = [test for test in tests if test["adjusted_p"] < 0.05]
    kept.sort(key=lambda test: (test["adjusted_p"], -strength(test)))
    return Enrichment(
        findings=kept,
        n_tests=len(tests),
        columns=tested,
        skipped=skipped,
        batches=[
            test
            for test in kept
            if test["category"] is not None
            and BATCH.search(test["column"])
            and test["outside"] < 0.8 <= test["inside"]  # share of a cluster from which on the report doubts it
        ],
    )


def strength(test: Finding, /) -> float:
    """Return the size of an effect, comparable among tests of one kind."""
    return abs(test["effect"]) if test["category"] is None else abs(float(np.log(test["effect"])))


def _categories(inputs: Inputs, name: str, column: NDArray[Any]) -> list[Finding]:
    names, codes = categories(column)
    known = codes >= 0
    if not 2 <= len(names) <= min(50, known.sum() - 1):  # a column with more is an identifier, not a category
        return []
    K = len(inputs.clusters)
    counts = np.zeros((K, len(names)))
    np.add.at(counts, (inputs.codes[known], codes[known]), 1)
    N, size, frequency = counts.sum(), counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    p = hypergeom.sf(counts - 1, N, frequency, size)
    rest = N - size
    a, b = counts + 0.5, size - counts + 0.5
    c, d = frequency - counts + 0.5, rest - (frequency - counts) + 0.5
    odds = a * d / (b * c)
    return [
        Finding(
            column=name,
            cluster=int(inputs.clusters[k]),
            category=names[j],
            inside=float(counts[k, j] / max(size[k, 0], 1)),
            outside=float((frequency[0, j] - counts[k, j]) / max(rest[k, 0], 1)),
            effect=float(odds[k, j]),
            p=float(min(p[k, j], 1.0)),
            adjusted_p=1.0,
        )
        for k in range(K)
        for j in range(len(names))
        if K > 1
    ]


def _numbers(inputs: Inputs, name: str, column: NDArray[Any]) -> list[Finding]:
    values = column.astype(np.float64)
    known = np.isfinite(values)
    values, codes, K = values[known], inputs.codes[known], len(inputs.clusters)
    n = len(values)
    if K < 2 or n < 3 or values.min() == values.max():
        return []
    ranks = rankdata(values)
    _, ties = np.unique(values, return_counts=True)
    spread = (n + 1) - (ties**3.0 - ties).sum() / (n * (n - 1))
    findings = []
    for k in range(K):
        inside = codes == k
        a, b = int(inside.sum()), int((~inside).sum())
        if not a or not b:
            continue
        U = ranks[inside].sum() - a * (a + 1) / 2
        z = (abs(U - a * b / 2) - 0.5) / np.sqrt(a * b / 12 * spread)
        findings.append(
            Finding(
                column=name,
                cluster=int(inputs.clusters[k]),
                category=None,
                inside=float(np.median(values[inside])),
                outside=float(np.median(values[~inside])),
                effect=float(2 * U / (a * b) - 1),
                p=float(min(2 * norm.sf(max(z, 0.0)), 1.0)),
                adjusted_p=1.0,
            )
        )
    return findings


def benjamini_hochberg(p: NDArray[np.float64], /) -> NDArray[np.float64]:
    """Return p values adjusted to control the false discovery rate."""
    if not len(p):
        return p
    order = np.argsort(p)[::-1]
    scaled = p[order] * len(p) / np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled), 1)
    return adjusted
