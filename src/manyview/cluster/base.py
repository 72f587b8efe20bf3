"""The base of all estimators: results in the form of the input, annotation, saving, reports."""

from __future__ import annotations

import os
from abc import abstractmethod
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from manyview.cluster.pickling import with_version, without_version
from manyview.cluster.progress import CallbackSupportMixin
from manyview.engine.optional import optional
from manyview.kernels.arrays import FloatArray, IntArray
from manyview.views.output import as_given, frame_of_columns
from manyview.views.ranges import Ranges
from manyview.views.sources import ArrayViews, ViewsLike

RandomState = int | np.random.RandomState | None


class Clusterer(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """An estimator of this package: results per sample come in the form of the input, with its ids."""

    views: Ranges
    labels_: IntArray
    sample_ids_: NDArray[Any] | None
    input_library_: str | None

    @abstractmethod
    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Cluster the samples."""

    @overload
    def fit_predict(self, X: ArrayViews, y: Any = None, **options: Any) -> IntArray: ...
    @overload
    def fit_predict(self, X: ViewsLike, y: Any = None, **options: Any) -> Any: ...
    def fit_predict(self, X: ViewsLike, y: Any = None, **options: Any) -> Any:
        """Cluster the samples, and return their labels: an array, or a Series with the ids if frames came in.

        Parameters
        ----------
        X : as for :meth:`fit`
        y : ignored
        **options
            Passed to :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples,), or Series
        """
        self.fit(X, y, **options)
        return as_given(self.labels_, self.sample_ids_, self.input_library_)

    def result_frame(self, library: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """Return a table with one row per sample of the fit.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Kind of the frame; by default that of the input, or pandas.

        Returns
        -------
        DataFrame or Table
            The cluster, and where the method gives them the confidence, the runner-up (the cluster with the second
            largest membership), whether the views disagree, and the cluster that each view would choose.

        Examples
        --------
        >>> import manyview
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=60, n_clusters=3, random_state=0)
        >>> model = manyview.AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
        >>> list(model.result_frame().columns)
        ['cluster', 'confidence', 'runner_up', 'views_disagree', 'vote of view_0', 'vote of view_1', 'vote of view_2']
        """
        check_is_fitted(self)
        return frame_of_columns(result_columns(self), self.sample_ids_, library or self.input_library_ or "pandas")

    def annotate(self, data: Any, /, key: str = "manyview") -> Any:
        """Write the results of the fit into annotated data, matched by ``obs_names``.

        Parameters
        ----------
        data : AnnData or MuData
            It must have the samples of the fit, in any order.
        key : str, default="manyview"
            ``obs[key]`` receives the clusters as categories, ``obs[key + "_confidence"]`` the confidence and
            ``obsm["X_" + key]`` the embedding, where the method gives them.

        Returns
        -------
        AnnData or MuData
            The same object.

        Examples
        --------
        >>> import anndata, manyview
        >>> from manyview.datasets import make_views
        >>> tables = make_views(n_samples=60, n_clusters=3, widths=(4, 6), random_state=0).views
        >>> data = anndata.AnnData(tables["view_0"], obsm={"X_other": tables["view_1"]})
        >>> model = manyview.AnchorGraphClustering(3, views={"a": "X", "b": "obsm/X_other"}, random_state=0).fit(data)
        >>> sorted(model.annotate(data).obs)
        ['manyview', 'manyview_confidence']
        """
        check_is_fitted(self)
        annotate(self, data, key)
        return data

    def save(self, path: str | os.PathLike[str], /) -> Path:
        """Write the fitted model to one file, which :func:`manyview.load` reads.

        Parameters
        ----------
        path : str or path
            The file, by convention with the ending ``.manyview``.

        Returns
        -------
        Path
            The file, which is complete or absent.

        Examples
        --------
        >>> import pathlib, tempfile, manyview
        >>> from manyview.datasets import make_views
        >>> data = make_views(n_samples=60, n_clusters=3, random_state=0)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.manyview"
        >>> manyview.GMC(n_clusters=3).fit(data.views).save(path).name
        'model.manyview'
        """
        from manyview.cluster.saving import save_model

        return save_model(self, path)

    def report(self, X: ViewsLike, path: str | os.PathLike[str], /, **options: Any) -> Path:
        """Write a report of the fit as one HTML file; see :func:`manyview.report.report`.

        Parameters
        ----------
        X : as for :meth:`fit`
            The views of the fit.
        path : str or path
            The file.
        **options
            Passed to :func:`manyview.report.report`.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from manyview import LMVSC, datasets
        >>> views = datasets.make_views(n_samples=90, n_clusters=3, random_state=0).views
        >>> model = LMVSC(n_clusters=3, random_state=0).fit(views)
        >>> model.report(views, pathlib.Path(tempfile.mkdtemp()) / "page.html").name
        'page.html'
        """
        written: Path = import_module("manyview.report").report(self, X, path, **options)  # a later stage
        return written

    def __getstate__(self) -> dict[str, Any]:
        return with_version(super().__getstate__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(without_version(state, type(self).__name__))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = super().__repr__(N_CHAR_MAX)
        return f"{text}  # {summary_of(self)}" if hasattr(self, "labels_") else text

    def _repr_html_inner(self) -> str:
        """Return the compact form of a fitted model, for notebooks; scikit-learn calls this."""
        return _compact_html(self) if hasattr(self, "labels_") else super()._repr_html_inner()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        return bundle | {"text/html": _compact_html(self)} if hasattr(self, "labels_") else bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _compact_html(model: Any) -> str:
    text: str = import_module("manyview.report").compact_html(model)  # a later stage
    return text


def summary_of(model: Any, /) -> str:
    """Return a fitted model's clusters in a few words."""
    sizes = np.sort(np.unique(np.asarray(model.labels_), return_counts=True)[1])[::-1]
    shown = ", ".join(f"{size:,}" for size in sizes[:5]) + (", …" if len(sizes) > 5 else "")
    clusters = "cluster" if len(sizes) == 1 else "clusters"
    return f"{len(sizes)} {clusters} of {len(model.labels_):,} samples: {shown}"


def result_columns(model: Any, /) -> dict[str, Any]:
    """Return what a model says about every sample, column by column."""
    columns = {"cluster": np.asarray(model.labels_)}
    if hasattr(model, "confidence_"):
        columns["confidence"] = np.asarray(model.confidence_)
    if hasattr(model, "membership_"):
        columns["runner_up"] = _runner_up(np.asarray(model.membership_))
    if hasattr(model, "view_labels_"):
        columns["views_disagree"] = model.views_disagree_
        names = zip(model.view_names_, model.view_labels_.T, strict=True)
        columns |= {f"vote of {name}": votes for name, votes in names}
    return columns


def _runner_up(membership: FloatArray) -> IntArray:
    """Return the cluster with the second largest membership; -1 where no other has any."""
    if membership.shape[1] == 1:
        return np.full(len(membership), -1)
    second = np.argsort(-membership, axis=1, kind="stable")[:, 1]
    return np.where(membership[np.arange(len(membership)), second] > 0, second, -1)


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
    """Return the row of the model for every observation."""
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
