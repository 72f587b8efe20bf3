"""A comparison that stands alone as a statement asserts nothing; no test may have one."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SILENT = {"allclose", "isclose", "array_equal", "array_equiv", "equal", "all", "any", "isfinite", "isnan", "equals"}


def silent_statements(source):
    """Lines on which a comparison is made and its answer dropped."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Expr):
            continue
        value = node.value
        if isinstance(value, ast.Call):
            called = value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
            if name in SILENT:
                lines.append(node.lineno)
        elif isinstance(value, ast.Compare | ast.BoolOp) or (
            isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
        ):
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: path.relative_to(TESTS).as_posix())
def test_no_comparison_stands_alone(path):
    assert silent_statements(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "statement",
    [
        "np.allclose(a, b)",
        "numpy.isclose(a, b)",
        "array_equal(a, b)",
        "np.allclose(a, b).all()",
        "a == b",
        "a < b and c",
        "not a",
        "frame.equals(other)",
    ],
)
def test_a_statement_that_asserts_nothing_is_found(statement):
    assert silent_statements(f"def test():\n    if x:\n        {statement}\n") == [3]


@pytest.mark.parametrize(
    "statement", ["assert np.allclose(a, b)", "assert_allclose(a, b)", "ok = np.allclose(a, b)", "check(a == b)"]
)
def test_a_statement_that_uses_the_answer_is_not(statement):
    assert silent_statements(statement) == []
