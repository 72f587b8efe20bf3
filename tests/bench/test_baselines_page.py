"""docs/baselines.md sums up the cells that it lists."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reference(script):
    return script(ROOT / "benchmarks" / "reference.py")


def test_summary_is_that_of_the_cells(reference):
    cells = reference.block(PAGE, "cells")
    assert len(cells) > 50
    assert reference.block(PAGE, "summary") == reference.summary(cells)


def test_costs_are_those_of_the_journals(reference, script):
    baselines = script(ROOT / "benchmarks" / "baselines.py")
    made = baselines.table(baselines.rows_of(baselines.JOURNALS))
    assert reference.block(PAGE, "cost") == made, "run: python benchmarks/baselines.py"
    assert [line.split(" | ")[0].strip("| ") for line in made[2:]] == list(baselines.METHODS)


def test_summary_counts_what_agrees(reference):
    head = ["", ""]
    rows = ["| A | s | x | - | - | - | 1.000 | - | - | - |", "| A | t | y | - | - | - | 0.400 | - | - | - |"]
    found = reference.summary([*head, *rows, "| A | u | z | - | - | - | - | - | - | - |"])
    assert found[2:] == ["| A | 3 | 2 | 1 | 0.40 | y, t |"]


def test_filled_page_keeps_what_is_around(reference):
    page = "before\n<!-- cells: begin -->\nold\n<!-- cells: end -->\nafter\n"
    made = reference.filled(page, "cells", ["new", "lines"])
    assert made == page.replace("old", "new\nlines")
    assert reference.block(made, "cells") == ["new", "lines"]
