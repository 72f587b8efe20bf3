"""What the scripts of this folder share: data in an order of rows, and journals that say which code made them.

A journal is a file of JSON lines. A line ``{"code": {...}}`` names the git commit, a digest of the sources below and
the libraries; the results after it were measured with them. Journals of one page must agree in the digest.

The digest is over the sources that decide the numbers of ``SemiNTF.paper``, without comments, docstrings and imports:
anchors and graphs, scaling, the loop and its kernels. Not counted: what moves rows about, what only reports
(reliability, membership, warnings), the default's pipeline, and everything compiled. The journal of the baselines'
settings counts their sources instead.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

import manyview
from manyview import RowOrderWarning, SemiNTF, datasets
from manyview.bench.version import git_commit
from manyview.metrics import clustering_scores

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
DATA = ROOT.parent / "shared" / "data"
COUNTED = (
    "anchors/graph.py", "anchors/selection.py", "cluster/semi_ntf/admm.py", "cluster/semi_ntf/coupling.py",
    "cluster/semi_ntf/labels.py", "cluster/semi_ntf/settings.py", "cluster/semi_ntf/tensor.py", "geometry/fit.py",
    "geometry/scaling.py", "kernels/gst.py", "kernels/nearest.py", "kernels/polar.py", "kernels/schatten.py",
    "kernels/simplex.py", "kernels/tproduct.py",
)  # fmt: skip
BASELINES = (
    "cluster/fmcnof.py", "cluster/lmvsc.py", "cluster/mvgl.py", "cluster/sfmc.py", "cluster/published.py",
    "kernels/cocluster.py", "kernels/graph_blend.py", "kernels/kmeans.py", "kernels/laplacian.py", "kernels/nearest.py",
    "kernels/qp.py", "kernels/rank_constraint.py", "kernels/sample_graph.py", "kernels/simplex.py",
    "kernels/spectral.py",
)  # fmt: skip
SCORES = ("acc", "nmi", "purity", "precision", "recall", "f_score", "ari")
NOISE = 1e-6  # relative, on the entries of every draw but the first
Point = dict[str, Any]


def source_digest(counted: tuple[str, ...] = COUNTED, package: Path = Path(manyview.__file__).parent) -> str:
    """Digest of what the counted sources say, without comments, docstrings, imports and layout."""
    digest = hashlib.sha256()
    for name in counted:
        digest.update(f"{name}\0{_meaning((package / name).read_text(encoding='utf-8'))}\n".encode())
    return digest.hexdigest()


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            lines = getattr(node, field, None)
            if isinstance(lines, list):
                setattr(node, field, [line for line in lines if not _says_nothing(line)])
    return ast.dump(tree)


def _says_nothing(line: ast.stmt) -> bool:
    """Whether a statement is an import or a text that stands alone."""
    alone = isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
    return alone or isinstance(line, ast.Import | ast.ImportFrom)


def code(counted: tuple[str, ...] = COUNTED) -> dict[str, str]:
    """Commit, source digest and libraries."""
    commit = git_commit(Path(manyview.__file__).parent) or "unknown"
    libraries = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"commit": commit, "sources": source_digest(counted), "python": platform.python_version(), **libraries}


class Journal:
    """Results by what they are of, appended line by line; a run that was stopped goes on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        self.codes = [line["code"] for line in lines if "code" in line]
        self.results = {_key(line["at"]): line for line in lines if "at" in line}

    def __contains__(self, at: Point) -> bool:
        return _key(at) in self.results

    def append(self, at: Point, result: Mapping[str, Any], now: dict[str, str]) -> None:
        """Keep a result; the code of the first one is named before it."""
        with self.path.open("a", encoding="utf-8") as file:
            if not self.codes or self.codes[-1] != now:
                if any(known["sources"] != now["sources"] for known in self.codes):
                    raise SystemExit(f"{self.path.name} holds results of other sources: delete it or go back.")
                self.codes.append(now)
                file.write(json.dumps({"code": now}) + "\n")
            line = {"at": at, **result}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.results[_key(at)] = line


def _key(at: Point) -> str:
    return json.dumps(at, sort_keys=True)


def run(
    path: Path,
    points: Iterable[Point],
    measure: Callable[[Point], Mapping[str, Any]],
    end: float = math.inf,
    counted: tuple[str, ...] = COUNTED,
) -> None:
    """Measure what the journal does not hold yet, until `end` of the monotonic clock."""
    journal, now, done = Journal(path), code(counted), 0
    for at in points:
        if time.monotonic() > end:
            break
        if at not in journal:
            journal.append(at, measure(at), now)
            done += 1
    print(f"{path.name}: {done} new, {len(journal.results)} in all", flush=True)


def present(name: str, folder: Path) -> bool:
    """Whether a data set is at hand: as a file in the folder, or fetched or registered by its name."""
    return (folder / f"{name}.npz").exists() or name in datasets.registered()


def load(name: str, folder: Path) -> tuple[list[Any], NDArray[np.intp]]:
    """Views in double precision, and the classes as 0 … K - 1."""
    file = folder / f"{name}.npz"
    data = datasets.read_views(str(file)) if file.exists() else datasets.load(name)
    labels = np.unique(np.asarray(data.labels), return_inverse=True)[1]
    return [view.astype(np.float64) for view in data.views.values()], labels


def drawn(
    views: list[Any], labels: NDArray[np.intp], order: str, draw: int, *, noise: bool = True
) -> tuple[list[Any], NDArray[np.intp]]:
    """Rows as stored or in random order; every draw but the first has noise of a millionth, the same in both orders."""
    if draw and noise:
        rng = np.random.default_rng(200 + draw)
        views = [view * (1 + NOISE * rng.standard_normal(view.shape)) for view in views]
    if order == "stored":
        return views, labels
    rows = np.random.default_rng(100 + draw).permutation(len(labels))
    return [view[rows] for view in views], labels[rows]


def fitted(model: SemiNTF, views: list[Any], **options: Any) -> SemiNTF:
    """Fit, and be silent about residuals that stall and the order of the rows: this folder is about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RowOrderWarning)
        return model.fit(views, **options)


def scores(labels: NDArray[np.intp], found: NDArray[Any]) -> dict[str, float]:
    """The seven scores of the paper, four decimals."""
    measured = clustering_scores(labels, found)
    return {name: round(float(measured[name]), 4) for name in SCORES}
