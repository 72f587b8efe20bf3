"""The files of a report. Each is written beside its place and moved there, so a reader never sees half of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from manyview.report.page import finite, render
from manyview.report.summary import Summary, summarize


def report(model: Any, views: Any, path: str | os.PathLike[str], /, **options: Any) -> Path:
    """Write a report about a fitted model: one HTML file, and the same facts as JSON beside it.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of this package.
    views : as for ``fit``
        The rows of the fit.
    path : path
        Of the page; the JSON file has the same name with the suffix ``.json``. Folders are made if needed.
    **options : Any
        Of `summarize`: ``name``, ``y_true``, ``metadata``, ``ids``, ``images``, ``seconds``.

    Returns
    -------
    Path
        The page.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.report import report
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> page = report(model, data.views, pathlib.Path(tempfile.mkdtemp()) / "page.html", name="three groups")
    >>> sorted(file.name for file in page.parent.iterdir())
    ['page.html', 'page.json']
    """
    place = Path(path)
    page, _ = _write_both(summarize(model, views, **options), place, place.with_suffix(".json"))
    return page


def write_report(summary: Summary, folder: str | os.PathLike[str], /) -> list[Path]:
    """Write ``report.json`` and ``report.html``.

    Parameters
    ----------
    summary : Summary
        From `summarize`.
    folder : path
        Made if needed.

    Returns
    -------
    list of Path
        The files, the page last.

    Examples
    --------
    >>> import tempfile
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.report import summarize, write_report
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> [path.name for path in write_report(summarize(model), tempfile.mkdtemp())]
    ['report.json', 'report.html']
    """
    place = Path(folder)
    page, facts = _write_both(summary, place / "report.html", place / "report.json")
    return [facts, page]


def _write_both(summary: Summary, page: Path, facts: Path) -> tuple[Path, Path]:
    text = json.dumps(finite(summary), allow_nan=False, ensure_ascii=False, indent=1)
    return _write(page, render(summary).encode(errors="replace")), _write(facts, text.encode(errors="replace"))


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)
    return path
