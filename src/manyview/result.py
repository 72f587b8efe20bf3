"""One call from views to a result: `manyview.cluster`, for those who do not want an estimator."""

from __future__ import annotations

import html
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from manyview import cluster as methods
from manyview.cluster.base import result_columns, summary_of
from manyview.cluster.saving import estimators, library_versions
from manyview.engine.optional import optional
from manyview.model_selection import select
from manyview.views import Views, ViewsLike
from manyview.views.output import as_given, frame_of_columns
from manyview.views.ranges import Ranges
from manyview.views.sources import IdColumn

METHODS = (
    "AnchorGraphClustering",
    "SemiNTF",
    "SemiNTF.paper",
    *sorted({*estimators()} - {"AnchorGraphClustering", "SemiNTF"}),
)
FILES = (
    "labels.csv",
    "model.manyview",
    "report.html",
    "report.json",
    "result.parquet",
    "run.json",
)  # of a saved result


@dataclass(frozen=True, repr=False)
class Result:
    """A clustering: labels with the ids of the samples, the fitted model, and the views it was fitted on.

    Parameters
    ----------
    model : estimator
        Fitted.
    views : Views
        The rows of the fit.
    seconds : float
        How long the fit took.
    name : str, default="data"
        What the report calls the data.
    facts : dict, optional
        Further entries of ``run.json``.

    Examples
    --------
    >>> import manyview
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> result = manyview.cluster(data.views, n_clusters=3)
    >>> result
    Result of AnchorGraphClustering: 3 clusters of 90 samples: 30, 30, 30
    >>> result.frame().columns[:3].tolist(), result.run_facts()["method"]
    (['cluster', 'confidence', 'runner_up'], 'AnchorGraphClustering')
    """

    model: Any
    views: Views
    seconds: float
    name: str = "data"
    facts: Mapping[str, Any] = field(default_factory=dict)  # of where the views came from

    @property
    def labels(self) -> Any:
        """Cluster of every sample: an array, or a Series with the ids if frames came in."""
        return as_given(self.model.labels_, self.model.sample_ids_, self.model.input_library_)

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters found."""
        return len(np.unique(self.model.labels_))

    def frame(self, library: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """Return a table with one row per sample; see :meth:`AnchorGraphClustering.result_frame`.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Of the table; by default that of the input, or pandas.

        Returns
        -------
        DataFrame or Table
            Cluster, confidence, runner-up, and the votes of the views.
        """
        return self.model.result_frame(library)

    def report(self, path: str | os.PathLike[str], /, **options: Any) -> Path:
        """Write the report as one HTML file; options are those of :func:`manyview.report.report`.

        Parameters
        ----------
        path : path
            Of the page; the facts are written beside it with the suffix ``.json``.
        **options : Any
            As above.

        Returns
        -------
        Path
            The page.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import manyview
        >>> data = manyview.datasets.make_views(n_samples=90, n_clusters=3, random_state=0)
        >>> result = manyview.cluster(data.views, n_clusters=3)
        >>> result.report(pathlib.Path(tempfile.mkdtemp()) / "page.html", y_true=data.labels).name
        'page.html'
        """
        from manyview.report import report

        return report(self.model, self.views, path, **({"name": self.name, "seconds": self.seconds} | options))

    def save(
        self,
        folder: str | os.PathLike[str],
        /,
        *,
        report: bool = True,
        spreadsheet_safe: bool = False,
        replace: bool = False,
        **options: Any,
    ) -> list[Path]:
        """Write everything to a new folder, which is complete or absent.

        Parameters
        ----------
        folder : str or path
            Must not exist, or be empty.
        report : bool, default=True
            Whether to write report.html and report.json, too.
        spreadsheet_safe : bool, default=False
            Guard ids in labels.csv; see :func:`manyview.io.write_labels`.
        replace : bool, default=False
            Replace a result that was saved there before. A folder with anything else in it is never replaced.
        **options
            Of :func:`manyview.report.report`, for example ``y_true`` and ``metadata``.

        Returns
        -------
        list of Path
            ``labels.csv``, ``result.parquet``, ``model.manyview``, ``run.json``, and the report.
        """
        from manyview.io.whole import whole_folder  # readers and writers are loaded when they are needed

        place = Path(folder)
        if place.exists() and not (place.is_dir() and _may_replace(place, replace=replace)):
            raise FileExistsError(f"{place} exists already: name a new folder.")
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole_folder(place, replace=replace) as part:
            self._write(part, report=report, spreadsheet_safe=spreadsheet_safe, options=options)
        return sorted(place.iterdir())

    def _write(self, folder: Path, *, report: bool, spreadsheet_safe: bool, options: Mapping[str, Any]) -> None:
        from manyview.io.labels import write_labels

        columns, ids = result_columns(self.model), self.model.sample_ids_
        numbers = np.arange(len(columns["cluster"])) if ids is None else ids
        confidence = columns.get("confidence")
        write_labels(
            folder / "labels.csv",
            ids=numbers,
            labels=columns["cluster"],
            confidence=confidence,
            spreadsheet_safe=spreadsheet_safe,
        )
        parquet = optional("pyarrow.parquet", extra="files", use="Writing result.parquet")
        parquet.write_table(frame_of_columns(columns, numbers, "pyarrow"), folder / "result.parquet")
        self.model.save(folder / "model.manyview")
        (folder / "run.json").write_text(json.dumps(self.run_facts(), indent=1) + "\n", encoding="utf-8")
        if report:
            self.report(folder / "report.html", **options)

    def run_facts(self) -> dict[str, Any]:
        """Return what repeats this run: versions, parameters, views, time.

        Returns
        -------
        dict
            As JSON can hold it.
        """
        model = self.model
        parameters = {name: _plain(value) for name, value in model.get_params(deep=False).items()}
        return {
            "method": type(model).__name__,
            "parameters": parameters,
            "n_samples": len(model.labels_),
            "n_clusters": self.n_clusters,
            "views": dict(zip(model.view_names_, model.view_widths_, strict=True)),
            "notes": list(model.view_notes_),
            "seconds": round(self.seconds, 3),
            "versions": library_versions(),
            **self.facts,
        }

    def __repr__(self) -> str:
        return f"Result of {type(self.model).__name__}: {summary_of(self.model)}"

    def _repr_html_(self) -> str:
        from manyview.report import compact_html

        try:
            return compact_html(self.model)
        except ImportError:
            return f"<pre>{html.escape(repr(self))}</pre>"


def cluster(
    data: ViewsLike,
    /,
    n_clusters: int | Literal["auto"] = "auto",
    *,
    method: str = "AnchorGraphClustering",
    views: Ranges = None,
    join: Literal["inner", "outer"] | None = None,
    id_column: IdColumn = None,
    impute: Literal["mean", "median"] | None = None,
    random_state: int = 0,
    name: str = "data",
    facts: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Result:
    """Cluster samples that several tables describe, in one call.

    Parameters
    ----------
    data : list or dict of tables, Views, AnnData, MuData, MultiViewData, or one table
        Rows that carry ids are matched by id, others by position.
    n_clusters : int or "auto", default="auto"
        Number of clusters; ``"auto"`` chooses it without labels.
    method : str, default="AnchorGraphClustering"
        Name of an estimator of this package, or ``"SemiNTF.paper"``.
    views : int, widths, (start, stop) pairs, or mapping of view to columns; optional
        How one table is divided, for example ``{"rna": ["g1", "g2"], "image": ["area"]}``; for annotated data the place
        of each view. See :meth:`Views.from_tables`.
    join : {"inner", "outer"} or None, default=None
        What to do if the views have different ids: keep the common samples, or keep all (a sample takes part with the
        views that it has). None raises an error that counts the difference.
    id_column : str or dict of view to str, optional
        Column of every table that holds the ids.
    impute : {"mean", "median"} or None, default=None
        How missing cells are filled; None raises an error that names the column.
    random_state : int, default=0
        Seed, for methods that have one.
    name : str, default="data"
        What the report calls the data.
    facts : dict, optional
        Further entries of ``run.json``, for example where the views came from.
    **parameters
        Of the estimator.

    Returns
    -------
    Result
        ``labels``, ``frame()``, ``report(path)``, ``save(folder)``, and the fitted ``model``.

    Examples
    --------
    >>> import manyview
    >>> from manyview.datasets import make_views
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> result = manyview.cluster(data.views)
    >>> result.n_clusters, result.labels.shape
    (3, (90,))
    """
    given = Views.from_tables(data, views=views, join=join, id_column=id_column, impute=impute)
    start = time.perf_counter()
    model = estimator_for(method, n_clusters, given, random_state=random_state, **parameters).fit(given)
    return Result(model, given, time.perf_counter() - start, name, facts or {})


def estimator_for(method: str, n_clusters: int | str, views: Any, /, *, random_state: int, **parameters: Any) -> Any:
    """Return an unfitted estimator by its name; for methods that cannot choose K, it is chosen on the anchor graph."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is none of {', '.join(METHODS)}.")
    kind, _, preset = method.partition(".")
    estimator = getattr(methods, kind)
    known = estimator().get_params()
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise ValueError(f"{method} has no parameter {unknown[0]!r}; it has {', '.join(known)}.")
    if n_clusters == "auto" and method not in ("AnchorGraphClustering", "SemiNTF"):
        chooser = methods.AnchorGraphClustering(random_state=random_state)
        n_clusters = select(views, estimator=chooser).n_clusters
    seed = {"random_state": random_state} if "random_state" in known else {}
    maker = getattr(estimator, preset) if preset else estimator
    return maker(n_clusters, **(seed | parameters))


def _may_replace(folder: Path, *, replace: bool) -> bool:
    """Return whether a folder is empty, or may be replaced and holds a saved result and nothing else."""
    inside = {path.name for path in folder.iterdir()}
    return not inside or (replace and "run.json" in inside and inside <= set(FILES))


def _plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.integer | np.floating):
        return value.item()
    return f"array of shape {value.shape}" if isinstance(value, np.ndarray) else str(value)
