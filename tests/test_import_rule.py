"""The import rule, read off the import statements: the tree is a pipeline, and nothing runs upstream."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import manyview

ROOT = Path(manyview.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

MATH = {"kernels"}
ROWS = {"kernels", "engine"}
PUBLIC = {"", "cluster", "datasets", "io", "metrics", "model_selection", "testing", "views"}  # "": manyview itself
MAY_IMPORT = {  # beside themselves
    "kernels": set(),
    "engine": set(),
    "views": ROWS,
    "geometry": ROWS | {"views"},
    "anchors": ROWS | {"views", "geometry"},
    "metrics": MATH,
    "io": ROWS | {"views"},
    "datasets": MATH | {"io"},
    "cluster": ROWS | {"views", "geometry", "anchors", "metrics", "datasets", "io"},
    "model_selection": ROWS | {"", "views", "geometry", "anchors", "metrics", "datasets", "io", "cluster"},
    "result": ROWS | PUBLIC | {"report"},
    "testing": PUBLIC | MATH,
    "bench": PUBLIC | {"report"},
    "report": PUBLIC | {"bench"},
    "plotting": PUBLIC | {"report"},  # shares the report's summary functions
    "cli": ROWS | PUBLIC | {"bench", "report", "result"},
    "__main__": {"cli"},
    "": PUBLIC | {"bench", "report", "result"},
}
OUTSIDE = {"bench", "report"}  # use the others as a user would: whole packages, public names
STAGES = (  # of cluster/anchor_graph, each of which imports only those before it
    *("recipe", "context", "graphs", "fusion", "candidates", "evidence", "membership", "neighbors", "consensus"),
    *("reliability", "explanation", "selection", "null", "n_clusters", "memory", "stages", "incremental"),
    *("label_matching", "estimator"),
)
OPTIONAL = ("dask", "matplotlib", "jinja2", "typer", "rich", "pandas", "polars", "pyarrow", "h5py", "openpyxl", "pooch")


def module_name(path):
    """manyview.views.check of src/manyview/views/check.py."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module):
    """The folder (or file) right under manyview that a module belongs to; empty for manyview itself."""
    return module.split(".")[1] if "." in module else ""


def is_module(name):
    path = ROOT.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports_of(source, module, is_package):
    """(module, name) of everything of ours that a source imports, wherever in the file, relative imports resolved."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")[: None if is_package and node.level == 1 else -(node.level - is_package)]
                base = ".".join([*parents, *filter(None, [base])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                found.append((whole, None) if base.startswith("manyview") and is_module(whole) else (base, alias.name))
    return [(name, what) for name, what in found if name.split(".")[0] == "manyview"]


def breaches(source, module, is_package=False):
    """What a source imports that its place does not allow."""
    part = part_of(module)
    if part not in MAY_IMPORT:
        return [f"{module} belongs to no part that the import rule knows: give {part!r} a place in it"]
    wrong = []
    for name, what in imports_of(source, module, is_package):
        target = part_of(name)
        if target == part or (name, what) == ("manyview", "__version__"):
            continue
        private = any(word.startswith("_") and word != "__version__" for word in (*name.split("."), what or ""))
        deep = name.count(".") > 1
        if target not in MAY_IMPORT[part] or (part in OUTSIDE and (private or deep)):
            wrong.append(f"{module} imports {name}" + (f".{what}" if what else ""))
    return wrong


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_a_module_imports_only_what_is_upstream_of_it(path):
    assert breaches(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    "module, source",
    [
        ("manyview.kernels.polar", "from manyview.engine import add"),
        ("manyview.kernels.polar", "import manyview"),
        ("manyview.engine.rows", "from manyview.kernels.arrays import FloatArray"),
        ("manyview.views.check", "from manyview.anchors import RULES"),
        ("manyview.views.check", "def f():\n    from manyview import SemiNTF"),
        ("manyview.views.check", "from manyview import cluster"),
        ("manyview.anchors.graph", "if True:\n    import manyview.cluster.semi_ntf"),
        ("manyview.metrics.pairs", "from ..views import Views"),
        ("manyview.metrics.pairs", "from .. import views"),
        ("manyview.cluster.amgl", "from manyview.bench import Plan"),
        ("manyview.cluster.semi_ntf.estimator", "from manyview.model_selection import select"),
        ("manyview.model_selection.choose", "from manyview.report import summarize"),
        ("manyview.report.summary", "from manyview.model_selection.choose import select"),
        ("manyview.bench.cell", "from manyview.kernels.polar import inverse_root"),
        ("manyview.bench.cell", "from manyview.metrics.pairs import pair_counts"),
        ("manyview.bench.cell", "from manyview.datasets import _data"),
        ("manyview.io.read", "from manyview.datasets import load"),
        ("manyview.cli.demo", "from manyview.anchors import RULES"),
        ("manyview.novelty", "import numpy"),
    ],
)
def test_the_rule_sees_what_breaks_it(module, source):
    assert len(breaches(source, module)) == 1


@pytest.mark.parametrize(
    "module, source",
    [
        ("manyview.views.check", "from manyview.kernels.arrays import Table\nfrom .container import Views"),
        ("manyview.cluster.semi_ntf.admm", "from manyview.engine import add\nfrom . import coupling"),
        ("manyview.model_selection.choose", "from manyview.cluster.anchor_graph.graphs import build_graphs"),
        ("manyview.cli.demo", "from manyview.model_selection import select"),
        ("manyview.bench.cell", "import manyview\nfrom manyview import SemiNTF, __version__, datasets"),
        ("manyview.bench.cell", "from manyview.metrics import clustering_scores\nimport manyviewer"),
    ],
)
def test_the_rule_lets_through_what_keeps_it(module, source):
    assert breaches(source, module) == []


def late_imports(source, module):
    """Later stages, and SemiNTF, that a stage of anchor_graph imports; imports for types do not count."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    allowed = STAGES[: STAGES.index(module.split(".")[-1])]
    wrong = []
    for name, _ in imports_of(ast.unparse(tree), module, is_package=False):
        words = name.split(".")
        if words[:3] == ["manyview", "cluster", "semi_ntf"] or (
            words[:3] == ["manyview", "cluster", "anchor_graph"] and words[3:4] and words[3] not in allowed
        ):
            wrong.append(name)
    return wrong


def test_stages_have_a_place_in_the_order():
    files = {path.stem for path in (ROOT / "cluster" / "anchor_graph").glob("*.py")} - {"__init__"}
    assert files == set(STAGES)


@pytest.mark.parametrize("stage", STAGES)
def test_stage_imports_only_earlier_stages(stage):
    path = ROOT / "cluster" / "anchor_graph" / f"{stage}.py"
    assert late_imports(path.read_text(encoding="utf-8"), module_name(path)) == []


def test_stage_order_sees_what_breaks_it():
    fusion = "manyview.cluster.anchor_graph.fusion"
    assert late_imports("from manyview.cluster.anchor_graph.candidates import spectrum", fusion) != []
    assert late_imports("from manyview.cluster.semi_ntf.admm import factorize", fusion) != []
    assert late_imports("from . import stages", fusion) != []
    assert late_imports("from manyview.cluster.anchor_graph.graphs import Draw", fusion) == []


# Core libraries may use an optional one that happens to be there (scikit-learn does); what counts is who asks.
WITHOUT_OPTIONAL = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            frame = sys._getframe(1)
            while "importlib" in frame.f_code.co_filename:
                frame = frame.f_back
            print(name, frame.f_code.co_filename, sep="\\t")
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
"""


def who_asks(program):
    """(library, file) of every import of an optional library, in a Python that has none of them."""
    source = f"OPTIONAL = {OPTIONAL}\n{WITHOUT_OPTIONAL}\n{program}"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def test_importing_the_package_asks_for_no_optional_library():
    asked = who_asks("import manyview; assert manyview.SemiNTF and manyview.Views")
    assert [(name, file) for name, file in asked if Path(file).is_relative_to(ROOT)] == []


def test_an_optional_library_that_is_asked_for_would_be_seen():
    program = "try:\n    import dask.array\nexcept ImportError:\n    pass"
    assert ("dask", "<string>") in who_asks(program)
