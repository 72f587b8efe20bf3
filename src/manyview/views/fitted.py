"""What an estimator remembers of the views it was fitted on, and how others are compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manyview.views.container import Views
from manyview.views.numeric import Preparation


def remember(
    estimator: Any, given: Views, views: Views, preparations: Sequence[Preparation], /, *, one_table: bool
) -> None:
    """Store names, widths, ids and preparation, as plain data."""
    if not one_table:  # of one table, scikit-learn's own validation has stored both
        estimator.__dict__.pop("feature_names_in_", None)
        estimator.n_features_in_ = given.shape[1]
    estimator.view_names_ = views.names
    estimator.view_widths_ = views.widths
    estimator.view_columns_ = views.columns
    estimator.view_preparations_ = tuple(preparations)
    estimator.sample_ids_ = views.ids
    estimator.input_library_ = views.library


def in_fitted_order(estimator: Any, views: Views, /) -> Views:
    """Views as the estimator was fitted on: by name where the names are the same set, else by position."""
    names = estimator.view_names_
    if len(views.names) != len(names):
        raise ValueError(f"Got {len(views.names)} views; the model was fitted on {len(names)}: {list(names)}.")
    if views.names == names:
        return views
    order = [views.names.index(n) for n in names] if set(views.names) == set(names) else range(len(names))
    return views.with_(
        names=names,
        tables=tuple(views.tables[v] for v in order),
        columns=tuple(views.columns[v] for v in order),
        present=tuple(views.present[v] for v in order),
    )


def require_same_columns(estimator: Any, views: Views, /) -> None:
    """Raise an error where columns have names that are not those of the fit, in their order."""
    for name, given, known in zip(views.names, views.columns, estimator.view_columns_, strict=True):
        if given is None or known is None or given == known:
            continue
        at = next(j for j, pair in enumerate(zip(given, known, strict=True)) if pair[0] != pair[1])
        raise ValueError(
            f"View {name!r}: column {at} is {given[at]!r}; in the fit it was {known[at]!r}. Give the columns that "
            "the model was fitted on, in their order."
        )
