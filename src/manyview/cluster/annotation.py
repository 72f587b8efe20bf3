"""Results of a fitted model in annotated data: a column per result, an embedding, rows matched by id."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyview.engine.optional import optional
from manyview.kernels.arrays import IntArray


def annotate(model: Any, data: Any, key: str, /) -> None:
    """Write clusters, confidence and embedding into an AnnData or MuData, in the order of its rows."""
    rows = _rows_of(model, data)
    labels = np.asarray(model.labels_)
    pandas = optional("pandas", extra="all", use="Annotated data")
    categories = [str(label) for label in np.unique(labels)]  # in the order of numbers
    data.obs[key] = pandas.Categorical([str(label) for label in labels[rows]], categories=categories)
    if hasattr(model, "confidence_"):
        data.obs[f"{key}_confidence"] = np.asarray(model.confidence_)[rows]
    if hasattr(model, "embedding_"):
        data.obsm[f"X_{key}"] = np.asarray(model.embedding_)[rows]


def _rows_of(model: Any, data: Any) -> IntArray:
    """Which row of the model every observation is."""
    names, kind = getattr(data, "obs_names", None), type(data).__name__
    if names is None or not hasattr(data, "obsm"):
        raise TypeError(f"annotate writes into an AnnData or MuData; got a {kind}. See result_frame() for a table.")
    if model.sample_ids_ is None:
        raise ValueError("The model knows no ids to match with obs_names: fit it on annotated data or frames with ids.")
    place = {str(known): row for row, known in enumerate(model.sample_ids_)}  # obs_names are strings, always
    wanted = [str(name) for name in names]
    if len(set(wanted)) < len(wanted):
        raise ValueError(f"obs_names of the {kind} are not unique: call its obs_names_make_unique() before the fit.")
    unknown = [name for name in wanted if name not in place]
    absent = sorted(set(place) - set(wanted))
    for some, where, lacks in ((unknown, f"the {kind}", "the model"), (absent, "the model", f"the {kind}")):
        if some:
            shown = ", ".join(map(repr, some[:3])) + (", …" if len(some) > 3 else "")
            raise ValueError(
                f"{len(some)} samples of {where} are not in {lacks} ({shown}): give the samples of the fit."
            )
    return np.array([place[name] for name in wanted], dtype=np.intp)
