"""Synthetic views with known labels, and stand-ins with the shapes of data sets that cannot be shipped.

Dense view:   x_i = c_{y(i)} + e_i,   e_i ~ N(0, I_d),   min over k != l of |c_k - c_l| = separation
Sparse view:  word counts; each word of document i comes with probability s / (1 + s), s = separation, from the topic
              of its cluster and otherwise from a background that all clusters share; both have Zipf's form, and the
              topics share no words
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state

from manyview.io.data import LabelArray, MultiViewData

FloatArray: TypeAlias = NDArray[np.float64]


class Shape(NamedTuple):
    n_samples: int
    n_clusters: int
    widths: tuple[int, ...]
    density: float | None  # of non-zeros; None for a dense view


SHAPES = {
    "nus": Shape(2400, 12, (64, 144, 73, 128, 225, 500), None),
    "awa": Shape(4000, 50, (2000, 2000, 252, 2000, 2000, 2000), None),
    "reuters": Shape(18758, 6, (21531, 24892, 34251, 15506, 11547), 0.004),
}


def make_views(
    n_samples: int,
    n_clusters: int,
    *,
    widths: Sequence[int] = (20, 50, 30),
    separation: float = 6.0,
    sparse: bool = False,
    density: float = 0.2,
    noise_views: int = 0,
    dtype: DTypeLike = np.float64,
    random_state: int | np.random.RandomState | None = None,
) -> MultiViewData:
    """Make views of samples from clusters of equal size, in shuffled order.

    Parameters
    ----------
    n_samples, n_clusters : int
        How many samples, in how many clusters.
    widths : sequence of int
        Columns of each view that knows the clusters.
    separation : float
        Dense: smallest distance between two cluster centers, in standard deviations of the noise in a direction.
        Sparse: odds of a word coming from its cluster's topic. At 0 the views know nothing.
    sparse : bool
        Word counts as CSR matrices instead of Gaussian measurements; never held as dense arrays.
    density : float
        Sparse only: share of non-zero entries.
    noise_views : int
        So many further views that know nothing of the clusters, with the widths of the others in turn.
    dtype : numpy dtype
        Of the views' values.
    random_state : int, RandomState or None
        The same number gives the same data.

    Returns
    -------
    MultiViewData
        Views ``view_0``, ``view_1``, ... and ``noise_0``, ...

    Examples
    --------
    >>> from manyview.datasets import make_views
    >>> make_views(100, 4, noise_views=1, random_state=0)
    MultiViewData('gaussian', n_samples=100, views={'view_0': 20, 'view_1': 50, 'view_2': 30, 'noise_0': 20},
        n_clusters=4)
    >>> make_views(100, 4, sparse=True, random_state=0).views["view_1"].shape
    (100, 50)
    """
    _check_sizes(n_samples, n_clusters, widths, separation, density, noise_views)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    labels = rng.permutation(np.arange(n_samples) % n_clusters)

    def view(width: int, strength: float) -> Any:
        if sparse:
            return _word_counts(rng, labels, n_clusters, width, strength, density).astype(dtype)
        return _gaussian(rng, labels, n_clusters, width, strength, np.dtype(dtype))

    views = {f"view_{v}": view(width, separation) for v, width in enumerate(widths)}
    views |= {f"noise_{v}": view(widths[v % len(widths)], 0.0) for v in range(noise_views)}
    return MultiViewData(views, labels, "counts" if sparse else "gaussian")


def make_like(
    shape_name: str,
    *,
    n_samples: int | None = None,
    separation: float = 6.0,
    random_state: int | np.random.RandomState | None = None,
) -> MultiViewData:
    """Make a stand-in with the shape of a data set that cannot be shipped; for running times, not for accuracy.

    Parameters
    ----------
    shape_name : {"nus", "awa", "reuters"}
        NUS: 2400 samples in 6 views, 12 classes. AWA: 4000 samples in 6 views, 50 classes. Reuters: 18758 documents
        in 5 sparse views with 0.4 % non-zeros, 6 classes.
    n_samples : int or None
        Another number of samples with the same widths.
    separation, random_state
        As in :func:`make_views`. Values are float32.

    Returns
    -------
    MultiViewData

    Examples
    --------
    >>> from manyview.datasets import make_like
    >>> make_like("reuters", n_samples=50, random_state=0)
    MultiViewData('like-reuters', n_samples=50,
        views={'view_0': 21531, 'view_1': 24892, 'view_2': 34251, 'view_3': 15506, 'view_4': 11547}, n_clusters=6)
    """
    if shape_name not in SHAPES:
        raise ValueError(f"shape_name is {shape_name!r}; known shapes are {', '.join(map(repr, SHAPES))}")
    shape = SHAPES[shape_name]
    data = make_views(
        shape.n_samples if n_samples is None else n_samples,
        shape.n_clusters,
        widths=shape.widths,
        separation=separation,
        sparse=shape.density is not None,
        density=0.2 if shape.density is None else shape.density,
        dtype=np.float32,
        random_state=random_state,
    )
    return MultiViewData(data.views, data.labels, f"like-{shape_name}")


def _check_sizes(
    n_samples: int, n_clusters: int, widths: Sequence[int], separation: float, density: float, noise_views: int
) -> None:
    if not 1 <= n_clusters <= n_samples:
        raise ValueError(f"n_clusters is {n_clusters}; it must lie between 1 and n_samples, {n_samples}")
    if len(widths) == 0 or min(widths) < 1:
        raise ValueError(f"widths is {tuple(widths)}; it must name at least one view of at least one column")
    if not 0 <= separation < np.inf:
        raise ValueError(f"separation is {separation}; it must be a finite number >= 0")
    if not 0 < density < 1:
        raise ValueError(f"density is {density}; it must lie between 0 and 1")
    if noise_views < 0:
        raise ValueError(f"noise_views is {noise_views}; it must be >= 0")


def _gaussian(
    rng: np.random.Generator, labels: LabelArray, n_clusters: int, width: int, separation: float, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Draw x_i = c_{y(i)} + e_i with the nearest two centers `separation` apart."""
    centers = rng.standard_normal((n_clusters, width))  # (K, d)
    nearest = pdist(centers).min() if n_clusters > 1 else 1.0
    X = rng.standard_normal((len(labels), width), dtype=np.float32 if dtype == np.float32 else np.float64)
    X += (centers * (separation / nearest))[labels].astype(X.dtype)
    return X.astype(dtype, copy=False)


def _word_counts(
    rng: np.random.Generator, labels: LabelArray, n_clusters: int, width: int, separation: float, density: float
) -> csr_matrix:
    """Draw counts of words from p_k = (s·topic_k + background) / (1 + s); (N, width), built from its non-zeros."""
    background = rng.permutation(_zipf(width))
    topics = np.zeros((n_clusters, width))
    order = np.resize(rng.permutation(width), max(width, n_clusters))  # fewer words than clusters: some are shared
    for topic, own_words in zip(topics, np.array_split(order, n_clusters), strict=True):
        topic[own_words] = rng.permutation(_zipf(len(own_words)))
    p = (separation * topics + background) / (1.0 + separation)  # (K, width)
    mean_length = _length_for_density(p, density)
    lengths = np.maximum(1, rng.poisson(mean_length * rng.gamma(8.0, 1 / 8.0, len(labels))))  # (N,), never empty
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    words = np.empty(indptr[-1], dtype=np.int32)
    row_of = np.repeat(np.arange(len(labels), dtype=np.int32), lengths)
    cluster_of = labels[row_of]
    for k in range(n_clusters):
        mine = np.flatnonzero(cluster_of == k)
        words[mine] = _draw(rng, p[k], len(mine))
    counts = csr_matrix((np.ones(len(words), dtype=np.float32), words, indptr), shape=(len(labels), width))
    counts.sum_duplicates()
    return counts


def _zipf(n_words: int) -> FloatArray:
    """Return p_r ∝ 1 / (r + 10); the offset keeps the commonest words from being in every document."""
    weights = 1.0 / (np.arange(n_words) + 10.0)
    return weights / weights.sum()


def _draw(rng: np.random.Generator, p: FloatArray, size: int) -> NDArray[np.int32]:
    """Draw `size` values from the distribution p by stratified inversion: sorted look-ups are fast, then a shuffle."""
    steps = (np.arange(size) + rng.random(size)) / max(size, 1)
    cumulative = np.cumsum(p)
    found = np.searchsorted(cumulative / cumulative[-1], steps, side="right").astype(np.int32)
    rng.shuffle(found)
    return np.minimum(found, np.int32(len(p) - 1))


def _length_for_density(p: FloatArray, density: float) -> float:
    """Find the words per document n with  mean over k of Σ_w (1 - exp(-n p_kw))  =  density · width."""
    low, high = 0.0, 1.0
    while np.mean(-np.expm1(-high * p)) < density:
        high *= 2.0
        if high > 100 * p.shape[1]:
            raise ValueError(f"density {density} needs endless documents; lower it, or lower separation")
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.mean(-np.expm1(-middle * p)) < density else (low, middle)
    return high
