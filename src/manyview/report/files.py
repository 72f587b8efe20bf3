"""The files of a report. Each is written beside its place and moved there, so a reader never sees half of one."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from manyview.report.figures import convergence_png
from manyview.report.page import page_around
from manyview.report.summary import Summary


def write_report(summary: Summary, folder: str | os.PathLike[str], /) -> list[Path]:
    """Write ``convergence.png`` and ``report.html``.

    Parameters
    ----------
    summary : Summary
        From `summarize`.
    folder : path
        Made if needed.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import tempfile
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> from manyview.report import summarize, write_report
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
    >>> [path.name for path in write_report(summarize(model), tempfile.mkdtemp())]
    ['convergence.png', 'report.html']
    """
    figure = convergence_png(summary["convergence"])
    page = page_around(figure, summary).encode("utf-8")
    place = Path(folder)
    return [_write(place / "convergence.png", figure), _write(place / "report.html", page)]


def write_labels(path: str | os.PathLike[str], /, *, ids: ArrayLike, labels: ArrayLike, confidence: ArrayLike) -> Path:
    """Write one line per row: id, label, confidence.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.report import write_labels
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> print(write_labels(path, ids=["a", "b"], labels=[1, 0], confidence=[0.5, 1.0]).read_text())
    id,label,confidence
    a,1,0.500000
    b,0,1.000000
    <BLANKLINE>
    """
    columns = [np.asarray(column).tolist() for column in (ids, labels, confidence)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "label", "confidence"])
    writer.writerows([row, label, f"{sure:.6f}"] for row, label, sure in zip(*columns, strict=True))
    return _write(Path(path), text.getvalue().encode("utf-8"))


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(path)
    return path
