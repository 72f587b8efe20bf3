from manyview.bench import differences, same_results
from manyview.bench.journal import Journal


def write(path, rows):
    with Journal(path) as journal:
        for row in rows:
            journal.append(row)
    return path


def row(inputs_with, seed, acc=0.5, status="ok", **measured):
    inputs = inputs_with(seed=seed)
    result = {"scores": {"acc": acc}} if status == "ok" else None
    return {
        "kind": "result",
        "key": f"k{seed}",
        "inputs": inputs,
        "limits": {"seconds": 1.0, "memory_gb": 1.0},
        "status": status,
        "result": result,
        "measured": measured,
    }


def test_order_times_and_plans_do_not_matter(tmp_path, inputs_with):
    a = write(
        tmp_path / "a",
        [
            {"kind": "plan", "name": "p", "metrics": [], "cells": []},
            row(inputs_with, 0, seconds=1.0),
            row(inputs_with, 1),
        ],
    )
    b = write(tmp_path / "b", [row(inputs_with, 1, seconds=9.0), row(inputs_with, 0)])
    assert same_results(a, b)


def test_of_a_repeated_cell_the_last_row_counts(tmp_path, inputs_with):
    a = write(tmp_path / "a", [row(inputs_with, 0, status="failed: x"), row(inputs_with, 0)])
    b = write(tmp_path / "b", [row(inputs_with, 0)])
    assert same_results(a, b)


def test_every_difference_is_named(tmp_path, inputs_with):
    a = write(tmp_path / "a", [row(inputs_with, 0), row(inputs_with, 1), row(inputs_with, 2)])
    b = write(
        tmp_path / "b", [row(inputs_with, 0, acc=0.6), row(inputs_with, 1, status="failed: x"), row(inputs_with, 3)]
    )
    assert not same_results(a, b)
    assert differences(a, b) == [
        "toy, quick, shuffled, seed 2: only in the first",
        "toy, quick, shuffled, seed 3: only in the second",
        "toy, quick, shuffled, seed 0: result {'scores': {'acc': 0.5}} became {'scores': {'acc': 0.6}}",
        "toy, quick, shuffled, seed 1: status 'ok' became 'failed: x'",
        "toy, quick, shuffled, seed 1: result {'scores': {'acc': 0.5}} became None",
    ]
