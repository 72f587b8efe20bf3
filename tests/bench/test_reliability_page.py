"""docs/reliability.md says what the committed runs said, and the tests that it names exist."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reliability(script):
    return script(ROOT / "benchmarks" / "reliability.py")


def test_the_page_is_what_the_command_writes(reliability):
    page = PAGE.read_text(encoding="utf-8")
    assert reliability.filled(page, reliability.tables()) == page


def test_every_named_test_exists():
    assert len(NAMED) > 30
    missing = [f"{path}::{name}" for path, name in NAMED if f"def {name}(" not in (ROOT / path).read_text()]
    assert missing == []


def test_every_fault_of_the_journal_has_a_row(reliability):
    named = {name for line in reliability.read(reliability.JOURNAL) for name in line.get("outcomes", ())}
    assert named == set(reliability.FAULTS)


def test_a_fault_with_a_bad_end_shows_in_its_row(reliability):
    row = reliability.row("a kill", Counter({"the same bits": 1_200, "FAILED": 3}), "`make chaos`")
    assert row == "| a kill | 1,203 | 1,200 the same bits; 3 FAILED | `make chaos` |"
