"""The same samples, seen by several tables: a container that is indexed by rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyview.kernels.arrays import IntArray, Table


class Views:
    """Several tables over the same rows; indexing takes rows of all of them.

    Parameters
    ----------
    tables : sequence of (n_samples, width) arrays or CSR matrices
        One table per view, rows aligned.
    names : sequence of str, optional
        One name per view; ``"view 0"``, ``"view 1"``, … by default.
    ids : array of shape (n_samples,), optional
        An identifier per row, for example a DataFrame index.

    Notes
    -----
    ``len(views)`` is the number of samples and ``views[rows]`` is again a :class:`Views`, so that
    scikit-learn's ``train_test_split``, ``cross_val_score`` and ``GridSearchCV`` can cut it.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview import Views
    >>> views = Views([np.ones((4, 2)), np.zeros((4, 3))], names=["image", "text"])
    >>> len(views), views.widths, views[1:3].shape
    (4, (2, 3), (2, 5))
    """

    __iter__ = None  # rows or tables? say which: views[rows] or views.tables

    def __init__(self, tables: Sequence[Table], names: Sequence[str] | None = None, ids: Any = None) -> None:
        self.tables: tuple[Table, ...] = tuple(tables)
        self.names: tuple[str, ...] = (
            tuple(f"view {v}" for v in range(len(self.tables))) if names is None else tuple(map(str, names))
        )
        self.ids = None if ids is None else np.asarray(ids)
        if not self.tables:
            raise ValueError("Views needs at least one table.")
        if len(self.names) != len(self.tables):
            raise ValueError(f"{len(self.tables)} tables but {len(self.names)} names: give one name per view.")
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"View names must differ; got {list(self.names)}.")
        for name, table in zip(self.names, self.tables, strict=True):
            if table.shape[0] != self.n_samples:
                raise ValueError(
                    f"View {name!r} has {table.shape[0]} rows but view {self.names[0]!r} has {self.n_samples}: "
                    "every view must describe the same samples, in the same order."
                )
        if self.ids is not None and len(self.ids) != self.n_samples:
            raise ValueError(f"{len(self.ids)} ids for {self.n_samples} samples.")

    @property
    def n_samples(self) -> int:
        """Number of rows that all views share."""
        return int(self.tables[0].shape[0])

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each view."""
        return tuple(int(table.shape[1]) for table in self.tables)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of all views together."""
        return self.n_samples, sum(self.widths)

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: int | slice | IntArray) -> Views:
        if isinstance(rows, int | np.integer):
            rows = slice(rows, rows + 1) if rows != -1 else slice(-1, None)
        return Views([table[rows] for table in self.tables], self.names, None if self.ids is None else self.ids[rows])

    def __repr__(self) -> str:
        widths = ", ".join(f"{name!r}: {width}" for name, width in zip(self.names, self.widths, strict=True))
        return f"Views({self.n_samples} samples; {{{widths}}})"
