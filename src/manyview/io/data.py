"""What every loader, maker and reader of this package returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

ViewMatrix: TypeAlias = Any  # ndarray of shape (N, d) or scipy CSR matrix; SciPy ships no types
LabelArray: TypeAlias = NDArray[np.int64]


class DataNotPresent(FileNotFoundError):
    """The data set that was asked for is not on this machine.

    Examples
    --------
    >>> from manyview.io import DataNotPresent, read_views
    >>> try:
    ...     read_views("no-such-file.mat")
    ... except DataNotPresent as error:
    ...     print(error)
    no-such-file.mat: there is no such file or folder
    """


@dataclass(frozen=True, eq=False)
class MultiViewData:
    """One data set: named views of the same N samples, and labels where they are known.

    Parameters
    ----------
    views : dict of str to ndarray or CSR matrix, each of shape (n_samples, n_features)
        Row i of every view describes sample i.
    labels : ndarray of shape (n_samples,) or None
        Class of each sample, counted from 0. For scoring only.
    name : str
        What tables and reports call it.
    ids : ndarray of shape (n_samples,) or None
        Ids of the samples, where the files have them.
    feature_names : dict of str to (tuple of str or None), optional
        Names of the columns of each view, where the files have them.

    Examples
    --------
    >>> import numpy as np
    >>> from manyview.io import MultiViewData
    >>> data = MultiViewData({"a": np.ones((3, 2)), "b": np.zeros((3, 5))}, np.array([0, 1, 1]), "tiny")
    >>> data
    MultiViewData('tiny', n_samples=3, views={'a': 2, 'b': 5}, n_clusters=2)
    """

    views: dict[str, ViewMatrix]
    labels: LabelArray | None = None
    name: str = "data"
    ids: NDArray[Any] | None = None
    feature_names: dict[str, tuple[str, ...] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", dict(self.views))  # later changes to the caller's dict are not ours
        rows = {key: int(view.shape[0]) for key, view in self.views.items()}
        if not rows:
            raise ValueError(f"{self.name}: there are no views; at least one is needed")
        n_samples = next(iter(rows.values()))
        if any(n != n_samples for n in rows.values()):
            raise ValueError(f"{self.name}: rows differ between views {rows}; every view needs all samples")
        if n_samples == 0:
            raise ValueError(f"{self.name}: the views have no rows; at least one sample is needed")
        if self.labels is not None and self.labels.shape != (n_samples,):
            raise ValueError(f"{self.name}: labels of shape {self.labels.shape} for {n_samples} samples")
        if self.ids is not None and self.ids.shape != (n_samples,):
            raise ValueError(f"{self.name}: ids of shape {self.ids.shape} for {n_samples} samples")
        names = {key: self.feature_names.get(key) for key in self.views}
        for key, given in names.items():
            if given is not None and len(given) != self.views[key].shape[1]:
                raise ValueError(f"{self.name}: {len(given)} names for {self.views[key].shape[1]} columns of {key}")
        object.__setattr__(self, "feature_names", names)

    def __repr__(self) -> str:
        widths = dict(zip(self.views, self.n_features, strict=True))
        n_clusters = None if self.labels is None else self.n_clusters
        return f"MultiViewData({self.name!r}, n_samples={self.n_samples}, views={widths}, n_clusters={n_clusters})"

    @property
    def n_samples(self) -> int:
        """Return the number of rows, the same in all views."""
        return int(next(iter(self.views.values())).shape[0])

    @property
    def n_views(self) -> int:
        """Return the number of views."""
        return len(self.views)

    @property
    def n_features(self) -> tuple[int, ...]:
        """Return the number of columns of each view."""
        return tuple(int(view.shape[1]) for view in self.views.values())

    @property
    def n_clusters(self) -> int:
        """Return the number of distinct labels."""
        if self.labels is None:
            raise ValueError(f"{self.name} has no labels, so its number of clusters is not known")
        return len(np.unique(self.labels))


def gather(
    views: dict[str, ViewMatrix], labels: LabelArray | None, name: str, where: str, **names: Any
) -> MultiViewData:
    """Make a data set of what was read; an error begins with where it was read from."""
    try:
        return MultiViewData(views, labels, name, **names)
    except ValueError as error:
        raise ValueError(f"{where}: {str(error).removeprefix(f'{name}: ')}") from error
