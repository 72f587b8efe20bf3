"""docs/scale.md says what the committed measurements say, and the benchmark measures what it says."""

import argparse
import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def scale(script):
    return script(BENCHMARKS / "scale.py")


def test_the_page_is_what_the_command_writes(scale):
    page = scale.PAGE.read_text(encoding="utf-8")
    assert scale.filled(page, scale.tables.made(scale.read_journal())) == page


def test_a_goal_that_is_missed_says_no(scale):
    by_part = scale.read_journal()
    slow = [
        one | {"seconds": [100 * s for s in one["seconds"]]} for one in by_part["speed"] if one["method"] == "SemiNTF"
    ]
    others = [one for one in by_part["speed"] if one["method"] != "SemiNTF"]
    before = "\n".join(scale.tables.goals(by_part))
    after = "\n".join(scale.tables.goals(by_part | {"speed": others + slow}))
    assert "| at most 5 times the Lloyd passes at 1,000,000 rows | yes |" in before
    assert "| at most 5 times the Lloyd passes at 1,000,000 rows | no |" in after


def test_a_part_takes_the_place_of_its_older_records(scale, tmp_path):
    file = tmp_path / "scale.jsonl"
    scale.keep("kill", [{"equal": True}], file)
    scale.keep("disk", [{"rows": 1}], file)
    scale.keep("kill", [{"equal": False}, {"equal": True}], file)
    assert scale.read_journal(file) == {"disk": [{"rows": 1}], "kill": [{"equal": False}, {"equal": True}]}


def test_rows_in_memory_and_in_parquet_are_the_same(scale, tmp_path):
    data = importlib.import_module("scaling.data")
    views, labels = data.views_of(150, (3, 2), 4)
    assert len(labels) == 150
    for view, path in zip(views, data.parquet_of(150, tmp_path, (3, 2), 4), strict=True):
        np.testing.assert_array_equal(view, pq.read_table(path).to_pandas().to_numpy())


def test_one_measurement_in_a_process_of_its_own(scale):
    command = [sys.executable, scale.__file__, "one", "--call", "one_speed", "SemiNTF", "6000"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["ari"] > 0.5
    assert found["above"] > 0
    assert {"geometry", "anchors", "graph", "factorization", "labels"} <= set(found["stages"])
    assert sum(found["stages"].values()) == pytest.approx(found["seconds"], rel=0.2)


def test_a_killed_fit_is_measured_as_killed(scale, tmp_path):
    parts = importlib.import_module("scaling.parts")
    (record,) = parts.kill(argparse.Namespace(rows=[6_000], times=1, folder=tmp_path))
    assert record["died"]
    assert record["equal"]
