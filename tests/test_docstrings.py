"""Docstrings of functions begin with a verb, and not with an article, a preposition or a question word."""

import ast
from pathlib import Path

import pytest

import manyview

ROOT = Path(manyview.__file__).parent
NO_VERBS = {
    "A", "After", "All", "Also", "An", "Any", "At", "Before", "Blocks", "Both", "But", "By", "Bytes", "Bytes:",
    "Column", "Columns", "Counts", "Each", "Every", "For", "From", "How", "Ids", "If", "In", "Into", "It", "Its",
    "Labels", "Many", "Most", "Name,", "Names", "No", "None", "Nothing", "Nothing.", "Numbers", "Of", "On", "One",
    "Parameters", "Row", "Rows", "Seconds", "Several", "Some", "Tables", "The", "This", "Three", "Two", "Values",
    "Views", "What", "When", "Where", "Whether", "Which", "While", "Who", "Why", "With", "Without",
}  # fmt: skip


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
