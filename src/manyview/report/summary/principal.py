"""What a layout is made from: the embedding of the fit, the principal components of all views together, or both."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from manyview.report.summary.inputs import Inputs

COMPONENTS = 10
EMBEDDING = "the diffusion embedding of the fused graph"
PRINCIPAL = f"the first {COMPONENTS} principal components of all views"


def layout_features(inputs: Inputs, rows: NDArray[np.intp], /) -> tuple[NDArray[np.float64], str] | None:
    """Return the features (n, d) of rows and what they are; None where the model and the call have neither."""
    kept = getattr(inputs.model, "embedding_", None) if inputs.rated else None
    embedding = None if kept is None else np.asarray(kept[rows], dtype=np.float64)
    # unit rows of two columns lie on an arc: there is nothing to see in them
    if embedding is not None and (embedding.shape[1] >= 3 or inputs.views is None):
        return embedding, EMBEDDING
    if inputs.views is None:
        return None
    components = joint_components(inputs, rows)
    if embedding is None or _spread(embedding) == 0:
        return components, PRINCIPAL
    return np.hstack([embedding / _spread(embedding), components / _spread(components)]), f"{EMBEDDING} and {PRINCIPAL}"


def _spread(features: NDArray[np.float64]) -> float:
    """Return the root of the total variance."""
    return float(np.sqrt(features.var(axis=0).sum()))


def joint_components(inputs: Inputs, rows: NDArray[np.intp], /) -> NDArray[np.float64]:
    """Return principal components (n, r) of the views side by side, every view with the same total variance."""
    assert inputs.views is not None
    rng, most = np.random.default_rng(0), 5_000  # rows that are looked at in one go
    fit = rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
    scores, of_fit = [], []
    for table in inputs.views.tables:
        mean, scale, directions = _directions(_dense_or_sparse(table[fit]), rng)
        pieces = [
            _project(_dense_or_sparse(table[rows[start : start + most]]), mean, scale, directions)
            for start in range(0, len(rows), most)
        ]
        scores.append(np.concatenate(pieces))
        of_fit.append(scores[-1][np.searchsorted(rows, fit)])
    joint, basis = np.concatenate(scores, axis=1), np.concatenate(of_fit, axis=1)
    center = basis.mean(axis=0)
    _, _, Vt = np.linalg.svd(basis - center, full_matrices=False)
    return np.asarray((joint - center) @ Vt[:COMPONENTS].T)


def _dense_or_sparse(table: Any) -> Any:
    return table if sp.issparse(table) else np.asarray(table, dtype=np.float64)


def _directions(table: Any, rng: np.random.Generator) -> tuple[Any, Any, NDArray[np.float64]]:
    """Find mean, scale and leading directions (d, r) of one view.

    A sparse view keeps its zeros, and rows of unit length.
    """
    d = int(table.shape[1])
    width = min(2 * COMPONENTS, d, int(table.shape[0]))
    if sp.issparse(table):
        unit = _unit_rows(table)
        mean, scale = np.zeros(d), np.ones(d)
        sketch = unit.T @ (unit @ (unit.T @ rng.standard_normal((unit.shape[0], width))))
        directions = np.linalg.qr(np.asarray(sketch))[0]
    else:
        known = table[~np.isnan(table[:, 0])] if d else table
        mean, deviation = known.mean(axis=0), known.std(axis=0)
        scale = np.where(deviation > 1e-12 * (1 + np.abs(mean)), deviation, np.inf)
        Z = (known - mean) / scale
        gram = Z.T @ Z if d <= len(Z) else Z @ Z.T
        vectors = np.linalg.eigh(gram)[1][:, ::-1][:, :width]
        directions = vectors if d <= len(Z) else np.linalg.qr(Z.T @ vectors)[0]
    total = np.linalg.norm(_project(table, mean, scale, directions))
    return mean, scale, directions * (np.sqrt(table.shape[0]) / total if total > 0 else 1.0)


def _project(table: Any, mean: Any, scale: Any, directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute scores (n, r); a sample that lacks the view is at its mean."""
    if sp.issparse(table):
        return np.asarray(_unit_rows(table) @ directions)
    return np.asarray(np.nan_to_num((table - mean) / scale) @ directions)


def _unit_rows(table: Any) -> Any:
    norms = np.sqrt(np.asarray(table.multiply(table).sum(axis=1)).ravel())
    return sp.diags_array(1 / np.where(norms > 0, norms, 1)) @ table
