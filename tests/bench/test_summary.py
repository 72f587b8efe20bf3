import csv
import math

import pytest

from manyview.bench import summarize
from manyview.bench.cell import cell_key, coordinates
from manyview.bench.journal import Journal

ACC = [0.5, 0.75, 0.7]


def result(inputs, acc, seconds=2.0, status="ok"):
    scores = {"scores": {"acc": acc, "nmi": acc / 2}}
    return {
        "kind": "result",
        "key": cell_key(inputs),
        "inputs": inputs,
        "limits": {"seconds": 1.0, "memory_gb": 1.0},
        "status": status,
        "result": scores if status == "ok" else None,
        "measured": {"seconds": seconds} if status == "ok" else {},
    }


@pytest.fixture
def journal(tmp_path, inputs_with):
    """Two methods, one of them on a grid; failures, a repeated cell, a missing one, a stale row, a torn line."""
    plain = [inputs_with(seed=seed) for seed in range(3)]
    swept = [inputs_with(seed=seed, method__name="swept", method__grid={"p_1": 0.5}) for seed in range(3)]
    gone = inputs_with(data__name="gone", order="as-stored")
    planned = [*plain, *swept, gone]
    note = {"kind": "plan", "name": "by hand", "metrics": ["acc", "seconds"]}
    note["cells"] = [{"key": cell_key(inputs), **coordinates(inputs)} for inputs in planned]
    with Journal(tmp_path / "journal.jsonl") as file:
        file.append({**note, "name": "older", "cells": []})
        file.append(result(inputs_with(seed=77), 1.0))  # of another plan
        file.append(result(plain[0], 0.0, status="failed: x"))  # repeated below
        for inputs, acc in zip(plain, ACC, strict=True):
            file.append(result(inputs, acc, seconds=10 * acc))
        file.append(result(swept[0], 0.9))
        file.append(result(swept[1], 0.0, status="failed: time limit of 5 s"))
        file.append(result(gone, 0.0, status="failed: data not present: gone.npz"))
        file.append(note)
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"kind":"result","key":"torn')
    return tmp_path


def test_numbers_are_those_of_a_computation_by_hand(journal):
    summary = summarize(journal, formats=())
    found = {(entry.data, entry.label, entry.metric): entry for entry in summary.entries}
    mean = (0.5 + 0.75 + 0.7) / 3
    sd = math.sqrt(((0.5 - mean) ** 2 + (0.75 - mean) ** 2 + (0.7 - mean) ** 2) / 2)
    entry = found["toy", "quick", "acc"]
    assert (entry.n, entry.failed, entry.missing) == (3, 0, 0)
    assert entry.mean == pytest.approx(mean, rel=1e-15)
    assert entry.sd == pytest.approx(sd, rel=1e-14)
    assert found["toy", "quick", "seconds"].mean == pytest.approx(10 * mean)
    entry = found["toy", "swept (p_1=0.5)", "acc"]
    assert (entry.n, entry.mean, entry.sd, entry.failed, entry.missing) == (1, 0.9, None, 1, 1)
    entry = found["gone", "quick", "acc"]
    assert (entry.n, entry.mean, entry.sd, entry.failed, entry.missing) == (0, None, None, 1, 0)
    assert len(found) == len(summary.entries) == 6


def test_failures_are_named(journal):
    failures = summarize(journal, formats=()).failures
    assert [(failure.data, failure.label, failure.seeds, failure.reason) for failure in failures] == [
        ("toy", "swept (p_1=0.5)", (1,), "time limit of 5 s"),
        ("gone", "quick", (0,), "data not present: gone.npz"),
    ]


def test_files_hold_the_same_numbers(journal):
    summary = summarize(journal)
    assert [path.name for path in summary.files] == ["summary.csv", "summary.md", "summary.tex"]
    with (journal / "summary.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [(line["data"], line["method"], line["metric"]) for line in lines] == [
        (entry.data, entry.label, entry.metric) for entry in summary.entries
    ]
    assert float(lines[0]["mean"]) == summary.entries[0].mean
    assert float(lines[0]["sd"]) == summary.entries[0].sd
    assert lines[-1]["mean"] == lines[-1]["sd"] == ""
    assert (journal / "summary.md").read_text() == summary.to_markdown()
    assert (journal / "summary.tex").read_text() == summary.to_latex()


def test_other_metrics_can_be_asked_for(journal):
    summary = summarize(journal, metrics=["nmi"], formats=["md"])
    assert summary.entries[0].mean == pytest.approx(sum(ACC) / 6)
    assert [path.name for path in summary.files] == ["summary.md"]


def test_errors_say_what_there_is(journal, tmp_path):
    with pytest.raises(ValueError, match="metrics: 'ari' is none of acc, nmi, seconds"):
        summarize(journal, metrics=["ari"])
    with pytest.raises(ValueError, match="formats: 'xls' is none of csv, md, tex"):
        summarize(journal, formats=["xls"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"journal\.jsonl: there is no plan in this journal"):
        summarize(tmp_path / "empty")
