"""Every public object is documented: a summary, its parameters, what it returns, and an example that runs.

Docstrings of all functions begin with a verb, and not with an article, a preposition or a question word.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import manyview

ROOT = Path(manyview.__file__).parent
MODULES = (
    *("manyview", "manyview.views", "manyview.model_selection", "manyview.metrics", "manyview.plotting"),
    *("manyview.report", "manyview.io", "manyview.datasets", "manyview.testing", "manyview.bench"),
)
PAGE = (Path(__file__).resolve().parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
NO_RETURN = (None, "None", inspect.Signature.empty)
INHERITED = ("get_params", "set_params", "get_metadata_routing", "set_output", "fit_predict")  # of scikit-learn

NO_VERBS = {
    "A", "After", "All", "Also", "An", "Any", "At", "Before", "Blocks", "Both", "But", "By", "Bytes", "Bytes:",
    "Column", "Columns", "Counts", "Each", "Every", "For", "From", "How", "Ids", "If", "In", "Into", "It", "Its",
    "Labels", "Many", "Most", "Name,", "Names", "No", "None", "Nothing", "Nothing.", "Numbers", "Of", "On", "One",
    "Parameters", "Row", "Rows", "Seconds", "Several", "Some", "Tables", "The", "This", "Three", "Two", "Values",
    "Views", "What", "When", "Where", "Whether", "Which", "While", "Who", "Why", "With", "Without",
}  # fmt: skip


def public():
    """Every public class and function once, under the first module that exports it."""
    found = {}
    for module in MODULES:
        exported = importlib.import_module(module)
        for name in exported.__all__:
            thing = getattr(exported, name)
            if inspect.isclass(thing) or inspect.isroutine(thing):
                found.setdefault(id(thing), (f"{module}.{name}", thing))
    return dict(found.values())


def methods():
    """Public methods of the public classes that are written in this package."""
    for path, thing in PUBLIC.items():
        if inspect.isclass(thing):
            for name, member in inspect.getmembers(thing):
                function = getattr(member, "__func__", member)
                ours = getattr(function, "__module__", None) or ""
                if inspect.isroutine(member) and not name.startswith("_") and ours.startswith("manyview"):
                    yield f"{path}.{name}", member


PUBLIC = public()
METHODS = dict(methods())
WARNINGS = {path for path, thing in PUBLIC.items() if inspect.isclass(thing) and issubclass(thing, Exception)}


def section(thing, title):
    """Return the section of a docstring, or an empty string."""
    parts = re.split(r"\n([A-Z][\w ]+)\n-{3,}\n", "\n" + (inspect.getdoc(thing) or ""))
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")


def parameters(thing):
    """Names of the parameters that a caller gives."""
    try:
        given = inspect.signature(thing).parameters.values()
    except ValueError:  # a class of the standard library below
        return set()
    return {one.name for one in given if one.name not in ("self", "cls")}


def documented(thing):
    """Names at the beginning of the lines of the parameters and attributes, which may stand several on a line.

    Fields of a dataclass may be described beside their values, in comments with a colon.
    """
    text = section(thing, "Parameters") + "\n" + section(thing, "Attributes")
    heads = re.findall(r"^(\*{0,2}\w[^:\n]*?)\s*(?::.*)?$", text, flags=re.MULTILINE)
    fields = re.findall(r"^    (\w+): .*#: |^    #: .*\n    (\w+):", inspect.getsource(thing), flags=re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")} | {
        name for pair in fields for name in pair
    }


def test_every_public_name_is_on_the_page_of_the_reference():
    listed = set(re.findall(r"^   (\w+)$", PAGE, flags=re.MULTILINE))
    assert {path.rpartition(".")[2] for path in PUBLIC} - listed == set()


@pytest.mark.parametrize("path", PUBLIC)
def test_public_object_has_a_docstring_with_an_example(path):
    text = inspect.getdoc(PUBLIC[path]) or ""
    assert re.match(r"[A-Z`\"].+[.:]?$", text.splitlines()[0] if text else "")
    assert ">>>" in section(PUBLIC[path], "Examples")


@pytest.mark.parametrize("path", sorted(set(PUBLIC) - WARNINGS))
def test_parameters_of_public_object_are_documented(path):
    assert parameters(PUBLIC[path]) - documented(PUBLIC[path]) == set()


@pytest.mark.parametrize("path", [path for path, thing in PUBLIC.items() if not inspect.isclass(thing)])
def test_public_function_says_what_it_returns(path):
    annotation = inspect.signature(PUBLIC[path]).return_annotation
    assert annotation in NO_RETURN or section(PUBLIC[path], "Returns") or section(PUBLIC[path], "Yields")


@pytest.mark.parametrize("path", METHODS)
def test_public_method_has_a_docstring(path):
    assert (inspect.getdoc(METHODS[path]) or "").strip()


@pytest.mark.parametrize("path", METHODS)
def test_parameters_of_public_method_are_documented(path):
    assert parameters(METHODS[path]) - documented(METHODS[path]) == set()


@pytest.mark.parametrize("path", METHODS)
def test_public_method_says_what_it_returns(path):
    annotation = inspect.signature(METHODS[path]).return_annotation
    assert annotation in (*NO_RETURN, "Self") or section(METHODS[path], "Returns")


@pytest.mark.parametrize("path", [path for path in METHODS if path.rpartition(".")[2] not in INHERITED])
def test_public_method_has_an_example(path):
    """An example of its own, or one of a class that calls it."""
    name = path.rpartition(".")[2]
    assert section(METHODS[path], "Examples") or any(
        re.search(rf"\b{name}\(", section(thing, "Examples")) for thing in PUBLIC.values() if inspect.isclass(thing)
    )


def first_words(path):
    """(line, first word) of the docstrings of all functions of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node)):
            yield node.lineno, text.split()[0]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_docstring_begins_with_a_verb(path):
    assert [(line, word) for line, word in first_words(path) if word in NO_VERBS] == []


def test_other_beginnings_are_seen(tmp_path):
    file = tmp_path / "example.py"
    file.write_text('def size():\n    """The number of rows."""\n\n\ndef fit():\n    """Cluster the rows."""\n')
    assert list(first_words(file)) == [(1, "The"), (5, "Cluster")]
