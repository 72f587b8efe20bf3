import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import manyview.metrics
from manyview.metrics import (
    accuracy,
    adjusted_rand_index,
    clustering_scores,
    normalized_mutual_information,
    pair_f_score,
    pair_precision,
    pair_recall,
    purity,
)

NAMES = ["acc", "nmi", "nmi_arithmetic", "purity", "precision", "recall", "f_score", "ari"]
PAPER_SEVEN = ["acc", "nmi", "purity", "precision", "recall", "f_score", "ari"]
LABELS = st.integers(1, 40).flatmap(lambda n: st.lists(st.integers(0, 6), min_size=n, max_size=n))
LABEL_PAIRS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)])
)


@pytest.mark.shared
def test_the_reference_cases(reference_kernel):
    case = reference_kernel("metrics")
    assert case["columns"].tolist() == ["ACC", "NMI_max", "Purity", "P", "R", "F", "ARI"]
    assert len(case["n"]) > 0
    for n, y, p, expected in zip(case["n"], case["y"], case["p"], case["result"], strict=True):
        scores = clustering_scores(y[:n], p[:n])
        assert_allclose([scores[name] for name in PAPER_SEVEN], expected, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(LABEL_PAIRS)
def test_each_entry_is_the_score_of_its_own_function(pair):
    assert list(clustering_scores(*pair).items()) == [
        ("acc", accuracy(*pair)),
        ("nmi", normalized_mutual_information(*pair, average="max")),
        ("nmi_arithmetic", normalized_mutual_information(*pair, average="arithmetic")),
        ("purity", purity(*pair)),
        ("precision", pair_precision(*pair)),
        ("recall", pair_recall(*pair)),
        ("f_score", pair_f_score(*pair)),
        ("ari", adjusted_rand_index(*pair)),
    ]


@settings(deadline=None, max_examples=100)
@given(LABEL_PAIRS)
def test_bounds_and_plain_floats(pair):
    scores = clustering_scores(*pair)
    assert all(type(value) is float for value in scores.values())
    assert all(0 <= scores[name] <= 1 for name in NAMES if name != "ari")
    assert -0.5 <= scores["ari"] <= 1
    assert scores["acc"] > 0
    assert scores["nmi"] <= scores["nmi_arithmetic"]


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS, st.randoms(use_true_random=False))
def test_score_bits_do_not_depend_on_order_or_names(pair, random):
    y_true, y_pred = pair
    order = random.sample(range(len(y_true)), len(y_true))
    classes, clusters = random.sample(range(-50, 50), 7), random.sample(["", "a", "b", "c", "d", "e", "nan"], 7)
    moved = [classes[y_true[i]] for i in order], [clusters[y_pred[i]] for i in order]
    assert clustering_scores(*moved) == clustering_scores(*pair)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_swapping_the_sides(pair):
    scores, swapped = clustering_scores(*pair), clustering_scores(*pair[::-1])
    for name in ("acc", "nmi", "nmi_arithmetic", "f_score", "ari"):
        assert scores[name] == swapped[name]
    assert (scores["precision"], scores["recall"]) == (swapped["recall"], swapped["precision"])


@settings(deadline=None, max_examples=60)
@given(LABELS)
def test_the_same_partition_scores_exactly_one(labels):
    assert clustering_scores(labels, [f"cluster {label}" for label in labels]) == dict.fromkeys(NAMES, 1.0)


@settings(deadline=None, max_examples=60)
@given(LABEL_PAIRS)
def test_only_the_same_partition_scores_one_in_acc_and_ari(pair):
    y_true, y_pred = pair
    same = len(set(y_true)) == len(set(y_pred)) == len(set(zip(y_true, y_pred, strict=True)))
    scores = clustering_scores(y_true, y_pred)
    assert (scores["acc"] == 1) == (scores["ari"] == 1) == same


@pytest.mark.parametrize(
    "y_true, y_pred, expected",
    [
        ([7], ["x"], dict.fromkeys(NAMES, 1.0)),
        ([0, 0, 0], [1, 1, 1], dict.fromkeys(NAMES, 1.0)),
        ([0, 1, 2], [2, 0, 1], dict.fromkeys(NAMES, 1.0)),
        ([0, 0, 1, 1], [0, 0, 0, 0], {"acc": 0.5, "nmi": 0, "nmi_arithmetic": 0, "recall": 1, "ari": 0}),
        ([0, 0, 0, 0], [0, 1, 2, 3], {"acc": 0.25, "nmi": 0, "purity": 1, "precision": 0, "recall": 0, "ari": 0}),
        ([0, 1, 2, 3], [0, 0, 0, 0], {"acc": 0.25, "nmi": 0, "purity": 0.25, "precision": 0, "recall": 0, "ari": 0}),
    ],
    ids=["one sample", "one cluster twice", "singletons twice", "one cluster", "singletons", "singleton classes"],
)
def test_degenerate_partitions(y_true, y_pred, expected):
    scores = clustering_scores(y_true, y_pred)
    assert {name: scores[name] for name in expected} == expected


def test_many_clusters_need_no_dense_table():
    n = 60_000
    scores = clustering_scores(np.arange(n), np.arange(n) // 2)
    assert scores["acc"] == scores["purity"] == 0.5


@pytest.mark.parametrize(
    "y_true, y_pred, message",
    [
        ([0, 1], [0, 1, 1], "y_true has 2 labels and y_pred has 3"),
        ([], [], "y_true is empty"),
        ([0, 1], [[0], [1]], "y_pred must be 1-D"),
        ([0, 1], [0.0, np.nan], "y_pred, row 1: the label is missing"),
    ],
)
def test_bad_input_is_refused(y_true, y_pred, message):
    with pytest.raises(ValueError, match=message):
        clustering_scores(y_true, y_pred)


def test_the_sources_import_numpy_and_scipy_only():
    folder = Path(manyview.metrics.__file__).parent
    imported = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level != 1:  # level 1: a file of the same folder
                imported.add("." * node.level + (node.module or "").partition(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"numpy", "scipy"}


def test_the_metrics_work_without_the_optional_libraries():
    optional = ["pandas", "polars", "matplotlib", "jinja2", "typer", "rich", "pyarrow", "h5py", "skops", "dask"]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({optional}))\n"
        "from manyview.metrics import clustering_scores\n"
        "print(clustering_scores([0, 0, 1], ['a', 'a', 'b'])['acc'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1.0", done.stderr
