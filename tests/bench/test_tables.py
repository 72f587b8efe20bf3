import dataclasses

import pytest

from manyview.bench.summary import Entry, Failure, Summary


def entry(label, metric, mean, sd=None, data="toy", n=2, failed=0, missing=0):
    return Entry(data, label, label, (), "shuffled", metric, n, mean, sd, failed, missing)


@pytest.fixture
def summary():
    entries = (
        entry("a_b", "acc", 0.8504, 0.01),
        entry("a_b", "seconds", 123.4, 5.6),
        entry("c|d", "acc", 0.85, 0.0),
        entry("c|d", "seconds", 0.01234, 0.0051),
        entry("e", "acc", None, n=0, failed=2),
        entry("e", "seconds", None, n=0, failed=2),
        entry("f", "acc", 0.5, n=1, failed=1),
        entry("f", "seconds", 1.0, n=1, failed=1),
        entry("g", "acc", None, n=0, missing=2),
        entry("g", "seconds", None, n=0, missing=2),
        entry("a_b", "acc", None, data="gone", n=0, failed=1),
        entry("a_b", "seconds", None, data="gone", n=0, failed=1),
    )
    failures = (
        Failure("toy", "e", "shuffled", (0, 1), "crashed"),
        Failure("toy", "f", "shuffled", (1,), "5 % & more"),
        Failure("gone", "a_b", "shuffled", (0,), "data not present: x_y.npz"),
    )
    return Summary("small", ("acc", "seconds"), entries, failures)


def test_markdown(summary):
    assert summary.to_markdown().splitlines() == [
        "# small",
        "",
        "## toy, rows shuffled",
        "",
        "| method | acc | seconds | runs |",
        "| --- | --- | --- | --- |",
        r"| a\_b | **0.850 ± 0.010** | 123 ± 6 | 2 |",
        r"| c\|d | **0.850 ± 0.000** | **0.0123 ± 0.0051** | 2 |",
        "| e | failed | failed | 0 of 2 |",
        "| f | 0.500 | 1.00 | 1 of 2 |",
        "| g | – | – | 0 of 2 |",
        "",
        "## Failed cells",
        "",
        "- toy, e, shuffled, seed 0, 1: crashed",
        "- toy, f, shuffled, seed 1: 5 % & more",
        r"- gone, all cells: data not present: x\_y.npz",
    ]


def test_latex(summary):
    assert summary.to_latex().splitlines() == [
        r"\begin{table}",
        r"\caption{toy, rows shuffled}",
        r"\begin{tabular}{lccc}",
        r"\hline",
        r"method & acc & seconds & runs \\",
        r"\hline",
        r"a\_b & \textbf{0.850 $\pm$ 0.010} & 123 $\pm$ 6 & 2 \\",
        r"c|d & \textbf{0.850 $\pm$ 0.000} & \textbf{0.0123 $\pm$ 0.0051} & 2 \\",
        r"e & failed & failed & 0 of 2 \\",
        r"f & 0.500 & 1.00 & 1 of 2 \\",
        r"g & – & – & 0 of 2 \\",
        r"\hline",
        r"\end{tabular}",
        r"\end{table}",
        "",
        "% failed: toy, e, shuffled, seed 0, 1: crashed",
        "% failed: toy, f, shuffled, seed 1: 5 % & more",
        "% failed: gone, all cells: data not present: x_y.npz",
    ]


def test_csv(summary):
    lines = summary.to_csv().splitlines()
    assert lines[0] == "data,method,order,metric,n,mean,sd,failed,missing"
    assert lines[1] == "toy,a_b,shuffled,acc,2,0.8504,0.01,0,0"
    assert lines[5] == "toy,e,shuffled,acc,0,,,2,0"
    assert len(lines) == 13


def test_nothing_is_best_of_one(summary):
    alone = dataclasses.replace(summary, entries=summary.entries[:2], failures=())
    assert "**" not in alone.to_markdown()
    assert "Failed" not in alone.to_markdown()


def test_special_characters_in_latex(summary):
    odd = dataclasses.replace(summary, entries=(entry("50% & {x}_1 \\ ^2 ~ #$", "acc", 0.5),), metrics=("acc",))
    assert r"50\% \& \{x\}\_1 \textbackslash{} \textasciicircum{}2 \textasciitilde{} \#\$ & 0.500" in odd.to_latex()
