"""Matrix Market files (.mtx, .mtx.gz), through SciPy."""

from __future__ import annotations

from typing import Any

from .answer import Answer


def read_mtx(path: str, answer: Answer) -> None:
    """Add the matrix to the answer: dense if the file says "array", else in compressed rows."""
    from scipy.io import mmread

    matrix: Any = mmread(path)
    if not hasattr(matrix, "tocsr"):
        answer.add("", answer.table(answer.array(matrix)))
        return
    S = matrix.tocsr()
    answer.add("", answer.table(answer.sparse(S.data, S.indices, S.indptr, S.shape, by_columns=False)))
