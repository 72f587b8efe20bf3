"""Messages in the words of the command line."""

import ast
from pathlib import Path

import pytest

import manyview
from manyview.cli.words import WORDS, in_words, of_error

ROOT = Path(manyview.__file__).parent


@pytest.fixture(scope="module")
def texts():
    """Every constant text of the library, outside the command line."""
    files = [path for path in ROOT.rglob("*.py") if "cli" not in path.parts]
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return "\n".join(found)


@pytest.mark.parametrize("said", [said for said, _ in WORDS])
def test_the_library_says_it(said, texts):
    assert [piece for piece in said.split("{}") if piece not in texts] == []


def test_values_are_carried_over():
    told = in_words("n_clusters=61 is more than n_samples=60: ask for fewer")
    assert told == "--n-clusters 61 is more than the number of samples, 60: ask for fewer"
    assert in_words("Views.from_tables(X, id_column='my id') matches") != ""


def test_views_become_files_and_lines_one():
    assert in_words("View 'a' lacks ids\n of view 'b'", {"a": "x/a.csv", "b": r"y\b.csv"}) == (
        r"x/a.csv lacks ids of y\b.csv"
    )


def test_errors_of_the_system_begin_with_the_file():
    assert of_error(OSError(28, "No space left on device", "r")) == "r: No space left on device"
    assert of_error(OSError(28, "No space left on device")) == "No space left on device"
    assert of_error(MemoryError()) == "MemoryError"
