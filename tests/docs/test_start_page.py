"""docs/start.md works as written: every block is run in its order, and prints what the page shows."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "start.md").read_text(encoding="utf-8")
WORDS = re.compile(r"[A-Za-z_./-]{3,}")  # numbers move with the machine


@pytest.fixture(scope="module")
def start():
    found = importlib.util.spec_from_file_location("start", DOCS / "start.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_page_shows_what_comes_out(start, tmp_path):
    pytest.importorskip("pandas")
    shown = start.outputs(PAGE, tmp_path)
    assert len(shown) == 4
    for block, printed in shown:
        assert WORDS.findall(printed) == WORDS.findall(block), "run: python docs/start.py"
    assert {"rna.csv", "result", "new-labels.csv", "report.html"} <= {path.name for path in tmp_path.iterdir()}


def test_every_patient_is_in_one_of_four_clusters():
    counts = re.findall(r"^│ \d +│ +(\d+) │", PAGE, flags=re.MULTILINE)
    assert sum(map(int, counts[:4])) == 240
    assert sum(map(int, counts[4:])) == 240
