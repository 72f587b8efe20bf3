"""Checks for estimators that cluster several views, in addition to scikit-learn's ``check_estimator``.

Each check takes an unfitted estimator with ``n_clusters``, clones it, and raises AssertionError with a reason. They
use separated data, where every sensible method must find the clusters, so that disagreement means a defect.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from manyview.kernels.arrays import FloatArray, IntArray
from manyview.testing.bad_input import check_bad_input_is_refused
from manyview.views import Views

Check = Callable[[Any], None]
N_CLUSTERS = 3


def separated_views(widths: tuple[int, ...] = (4, 7, 5), seed: int = 0) -> tuple[list[FloatArray], IntArray]:
    """Make three well separated Gaussian clusters, seen by views of these widths; rows in random order."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(N_CLUSTERS), 30))
    centers = [10 * rng.standard_normal((N_CLUSTERS, width)) + 30 for width in widths]
    return [c[labels] + rng.standard_normal((len(labels), c.shape[1])) for c in centers], labels


def fitted(estimator: Any, X: Any, **parameters: Any) -> Any:
    """Fit a clone with three clusters and a fixed seed; convergence warnings are ignored."""
    model = clone(estimator)
    known = model.get_params()
    parameters = {"n_clusters": N_CLUSTERS, "random_state": 0, "views": None} | parameters
    model.set_params(**{name: value for name, value in parameters.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def same_partition(a: IntArray, b: IntArray, reason: str, at_least: float = 1.0) -> None:
    """Return whether two labelings of the same rows agree up to names."""
    agreement = adjusted_rand_score(a, b)
    assert agreement >= at_least - 1e-12, f"{reason}: adjusted Rand index {agreement:.3f}, wanted {at_least}"


def numbers(model: Any) -> dict[str, FloatArray]:
    """Return what a fit computed, as plain arrays."""
    found = {}
    for name in ("membership_", "embedding_", "affinity_", "indicator_", "factors_", "view_weights_", "anchors_"):
        value = getattr(model, name, None)
        if value is not None and not isinstance(value, list | tuple | dict):
            found[name] = value.toarray() if sp.issparse(value) else np.asarray(value)
    return found


def same_bits(a: Any, b: Any, reason: str) -> None:
    """Return whether two fits are identical to the last bit."""
    assert np.array_equal(a.labels_, b.labels_), f"{reason}: the labels differ"
    for name, value in numbers(a).items():
        assert np.array_equal(value, numbers(b)[name]), f"{reason}: {name} differs"


def check_finds_separated_clusters(estimator: Any) -> None:
    """Check that clusters are found in 1, 2, 3 and 7 views of unequal width, with labels 0 … K-1."""
    for widths in ((6,), (4, 7), (4, 7, 5), (3, 9, 4, 6, 5, 8, 7)):
        views, labels = separated_views(widths)
        model = fitted(estimator, views)
        same_partition(labels, model.labels_, f"separated clusters in {len(widths)} views")
        assert set(model.labels_) == set(range(N_CLUSTERS)), "labels must be 0 … K-1"
        assert model.labels_.shape == labels.shape
        assert np.issubdtype(model.labels_.dtype, np.integer)


def check_input_forms_are_equivalent(estimator: Any) -> None:
    """Check that a list, a mapping, Views, sparse tables, and one array with ranges give the same result."""
    views, _ = separated_views()
    reference = fitted(estimator, views)
    named = {"a": views[0], "b": views[1], "c": views[2]}
    for form, data in (("mapping", named), ("Views", Views(views)), ("tuple", tuple(views))):
        same_bits(reference, fitted(estimator, data), f"list against {form}")
    if "views" in estimator.get_params():
        one = fitted(estimator, np.hstack(views), views=[view.shape[1] for view in views])
        same_partition(reference.labels_, one.labels_, "list against one array with widths")
        pairs = fitted(estimator, np.hstack(views), views=[(0, 4), (4, 11), (11, 16)])
        same_bits(one, pairs, "widths against ranges")
    sparse = fitted(estimator, [sp.csr_array(view) for view in views])
    same_partition(reference.labels_, sparse.labels_, "dense against sparse")


def check_every_view_matters(estimator: Any) -> None:
    """Check that replacing any one view changes what is computed."""
    views, _ = separated_views()
    before = numbers(fitted(estimator, views))
    for v in range(len(views)):
        changed = list(views)
        changed[v] = np.random.default_rng(v).standard_normal(views[v].shape)
        after = numbers(fitted(estimator, changed))
        same = all(a.shape == after[name].shape and np.allclose(a, after[name]) for name, a in before.items())
        assert before, "the estimator exposes no array to compare"
        assert not same, f"view {v} was replaced by noise and nothing changed: is it read at all?"


def check_row_order_does_not_matter(estimator: Any) -> None:
    """Check that shuffled rows get the shuffled labels."""
    views, _ = separated_views()
    order = np.random.default_rng(1).permutation(len(views[0]))
    shuffled = fitted(estimator, [view[order] for view in views])
    same_partition(fitted(estimator, views).labels_[order], shuffled.labels_, "rows shuffled")


def check_view_order_does_not_matter(estimator: Any) -> None:
    """Check that views in another order, or one of them twice, give the same clusters."""
    views, _ = separated_views()
    reference = fitted(estimator, views).labels_
    same_partition(reference, fitted(estimator, views[::-1]).labels_, "views reversed")
    same_partition(reference, fitted(estimator, [*views, views[0]]).labels_, "a view given twice")


def check_repeatable(estimator: Any) -> None:
    """Check that the same seed gives the same bits, also for one and two threads."""
    views, _ = separated_views()
    first = fitted(estimator, views)
    same_bits(first, fitted(estimator, views), "the same fit again")
    if "n_jobs" in estimator.get_params():
        blocks = {"block_rows": 16} if "block_rows" in estimator.get_params() else {}
        one, two = (fitted(estimator, views, n_jobs=n, **blocks) for n in (1, 2))
        same_bits(one, two, "one thread against two")


def check_input_is_untouched(estimator: Any) -> None:
    """Check that fit changes neither the data nor the parameters."""
    views, _ = separated_views()
    copies = [view.copy() for view in views]
    model = clone(estimator).set_params(n_clusters=N_CLUSTERS)
    before = model.get_params()
    for view in views:
        view.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(views)
    after = model.get_params()
    assert all(after[name] is before[name] for name in before), "fit changed a parameter"
    assert all(np.array_equal(a, b) for a, b in zip(views, copies, strict=True)), "fit changed its input"


def check_precision_and_scale(estimator: Any) -> None:
    """Check float32 against float64, and views of any magnitude."""
    views, labels = separated_views()
    single = fitted(estimator, [view.astype(np.float32) for view in views])
    same_partition(fitted(estimator, views).labels_, single.labels_, "float32 against float64", at_least=0.99)
    for factor in (1e-100, 1e100):
        scaled = fitted(estimator, [view * factor for view in views])
        same_partition(labels, scaled.labels_, f"views times {factor:g}", at_least=0.99)


def check_degenerate_data_gives_a_result(estimator: Any) -> None:
    """Check that constant views, duplicate rows, all-zero rows, one cluster and twelve views give finite labels."""
    views, _ = separated_views()
    n = len(views[0])
    empty = views[1].copy()
    empty[::9] = 0
    cases: dict[str, tuple[list[FloatArray], int]] = {
        "a constant view": ([views[0], np.ones((n, 3))], N_CLUSTERS),
        "duplicate rows": ([np.repeat(view[::3], 3, axis=0) for view in views], N_CLUSTERS),
        "all-zero rows": ([views[0], empty], N_CLUSTERS),
        "one cluster": (views, 1),
        "twelve views": (views * 4, N_CLUSTERS),
        "as many clusters as rows": ([view[:8] for view in views], 8),
    }
    for case, (data, K) in cases.items():
        model = fitted(estimator, data, n_clusters=K)
        assert model.labels_.shape == (len(data[0]),), f"{case}: wrong number of labels"
        assert 0 <= model.labels_.min() <= model.labels_.max() < len(data[0]), f"{case}: labels out of range"


def check_predict(estimator: Any) -> None:
    """Check that predict on the training rows agrees with labels_ on 99 %, also in parts, and refuses wrong shapes."""
    if not hasattr(estimator, "predict"):
        return
    views, _ = separated_views()
    model = fitted(estimator, views)
    agreement = np.mean(model.predict(views) == model.labels_)
    assert agreement >= 0.99, f"predict agrees with labels_ on {agreement:.1%} of the training rows"
    part = model.predict([view[10:30] for view in views])
    assert np.array_equal(part, model.predict(views)[10:30]), "a row's label depends on the other rows"
    for wrong in (views[:2], [views[0], views[1], views[2][:, 1:]]):
        try:
            model.predict(wrong)
        except ValueError:
            continue
        raise AssertionError("predict took views that differ from the fitted ones without a word")


def check_round_trips(estimator: Any) -> None:
    """Check that clone, pickle, and skops where it is installed, keep the model and its predictions."""
    views, _ = separated_views()
    model = fitted(estimator, views)
    same_bits(model, fitted(clone(model), views), "a clone")
    copies = [pickle.loads(pickle.dumps(model))]
    try:
        import skops.io
    except ImportError:
        pass
    else:
        dumped = skops.io.dumps(model)
        copies.append(skops.io.loads(dumped, trusted=skops.io.get_untrusted_types(data=dumped)))
    for copy in copies:
        same_bits(model, copy, "a stored and loaded model")
        if hasattr(model, "predict"):
            assert np.array_equal(model.predict(views), copy.predict(views)), "a loaded model predicts otherwise"


def multiview_checks() -> list[Check]:
    """List all checks, for ``pytest.mark.parametrize``.

    Returns
    -------
    list of callable
        Each takes an unfitted estimator.

    Examples
    --------
    >>> from manyview.testing import multiview_checks
    >>> multiview_checks()[0].__name__
    'check_finds_separated_clusters'
    """
    return [
        check_finds_separated_clusters,
        check_input_forms_are_equivalent,
        check_every_view_matters,
        check_row_order_does_not_matter,
        check_view_order_does_not_matter,
        check_repeatable,
        check_input_is_untouched,
        check_precision_and_scale,
        check_degenerate_data_gives_a_result,
        check_predict,
        check_round_trips,
        check_bad_input_is_refused,
    ]


def check_multiview_estimator(estimator: Any) -> None:
    """Run every multi-view check on an unfitted estimator.

    Parameters
    ----------
    estimator : object
        A scikit-learn style clusterer whose ``fit`` takes a list of 2-D tables.

    Examples
    --------
    >>> from manyview.cluster import AMGL
    >>> from manyview.testing import check_multiview_estimator
    >>> check_multiview_estimator(AMGL())
    """
    for check in multiview_checks():
        check(estimator)
