"""How much code a reader walks through: one fit and one prediction, traced; and the size of the package.

    python benchmarks/architecture.py

Prints, for our estimators and for two of scikit-learn under the same tracer, the files and functions of the package
that a call enters, the calls that go from one file to another, and the classes of the package whose objects are passed.
Beside them the files and lines of ``src``, numeric constants of modules, and public parameters. The table of
ARCHITECTURE.md is this output.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

import manyview
from manyview import AnchorGraphClustering, SemiNTF
from manyview.bench.pages import filled
from manyview.datasets import load_digits_views

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "manyview"
PAGE = ROOT / "ARCHITECTURE.md"
NUMERIC = (ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)


class Trace:
    """Counts what a call enters in the files of one package."""

    def __init__(self, package: str) -> None:
        self.root = str(Path(sys.modules[package].__file__ or "").parent)
        self.package = package
        self.functions: set[Any] = set()
        self.crossings = 0
        self.types: set[type] = set()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Take note of a call or a return; ``sys.setprofile`` calls this."""
        file = frame.f_code.co_filename
        if event not in ("call", "return") or not file.startswith(self.root):
            return
        if event == "return":
            self._note(arg)
            return
        self.functions.add(frame.f_code)
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename != file and caller.f_code.co_filename.startswith(self.root):
            self.crossings += 1
        for value in list(frame.f_locals.values()):
            self._note(value)

    def _note(self, value: Any) -> None:
        if type(value).__module__.startswith(self.package):
            self.types.add(type(value))

    def row(self) -> list[str]:
        """Files, functions, crossings, types."""
        files = {code.co_filename for code in self.functions}
        return [f"{n:,}" for n in (len(files), len(self.functions), self.crossings, len(self.types))]


def traced(package: str, call: Callable[[], Any]) -> list[str]:
    """Run a call under the tracer."""
    trace = Trace(package)
    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(None)
    return trace.row()


def table_of_calls() -> list[str]:
    """Markdown: one line per call."""
    data = load_digits_views()
    views, X = data.views, np.hstack(list(data.views.values()))
    models: list[tuple[str, Any, Any]] = [
        ("manyview", AnchorGraphClustering(10, random_state=0, n_jobs=1), views),
        ("manyview", SemiNTF(10, random_state=0, n_jobs=1), views),
        ("manyview", SemiNTF.paper(10, n_jobs=1), views),
        ("sklearn", SpectralClustering(10, affinity="nearest_neighbors", random_state=0), X),
        ("sklearn", KMeans(10, n_init=1, random_state=0), X),
    ]
    names = ["AnchorGraphClustering", "SemiNTF", "SemiNTF.paper", "SpectralClustering", "KMeans"]
    rows = ["| call | files | functions | calls across files | object types |", "|---|--:|--:|--:|--:|"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (package, model, given) in zip(names, models, strict=True):
            calls = {"fit": lambda m=model, g=given: m.fit(g)}
            if hasattr(model, "predict"):
                calls["predict"] = lambda m=model, g=given: m.predict(g)
            for method, call in calls.items():
                rows.append(f"| {name}.{method} | " + " | ".join(traced(package, call)) + " |")
    return rows


def numeric_constants() -> Iterator[tuple[Path, str]]:
    """Yield names of module level that are bound to numbers, outside of ``recipe.py``."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or path.name == "recipe.py":
                continue
            if any(not isinstance(part, NUMERIC) for part in ast.walk(node.value)):
                continue
            numbers = eval(compile(ast.Expression(node.value), str(path), "eval"))  # 1 << 20, too
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            several = numbers if isinstance(numbers, tuple) else (numbers,)
            if several and all(isinstance(n, int | float) and not isinstance(n, bool) for n in several):
                for target in targets:
                    for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                        yield path, ast.unparse(name)


def table_of_sizes() -> list[str]:
    """Markdown: size of the source."""
    files = sorted(SOURCE.rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    longest = max(files, key=lambda path: len(path.read_text(encoding="utf-8").splitlines()))
    longest_lines = len(longest.read_text(encoding="utf-8").splitlines())
    estimators = [getattr(manyview, name) for name in manyview.__all__ if hasattr(getattr(manyview, name), "fit")]
    parameters = ", ".join(f"{e.__name__} {len(inspect.signature(e).parameters)}" for e in estimators)
    return [
        "| | |",
        "|---|---|",
        f"| files and lines of `src` (Python) | {len(files)} files, {lines:,} lines |",
        f"| longest file | {longest.relative_to(SOURCE).as_posix()}, {longest_lines} lines |",
        f"| numeric constants of modules, outside of `recipe.py` | {len(list(numeric_constants()))} |",
        f"| public parameters | {parameters} |",
    ]


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables to ARCHITECTURE.md")
    options = parser.parse_args()
    tables = {"calls": table_of_calls(), "sizes": table_of_sizes()}
    for table in tables.values():
        print("\n".join(table), end="\n\n")
    if options.write:
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
