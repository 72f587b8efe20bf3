"""Tests of metadata against SciPy's own, and the sentence about a batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import false_discovery_control, fisher_exact, mannwhitneyu

from manyview.report import summarize
from manyview.report.summary.enrichment import benjamini_hochberg
from manyview.report.summary.inputs import categories, is_numeric


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjustment_is_that_of_scipy(p):
    assert_allclose(benjamini_hochberg(np.array(p)), false_discovery_control(p), atol=1e-12)


def test_category_is_tested_by_fisher(summary, model, metadata):
    (found,) = [one for one in summary["enrichment"]["findings"] if one["category"] == "B" and one["cluster"] == 1]
    inside, is_b = model.labels_ == 1, metadata["batch"] == "B"
    table = [[(inside & is_b).sum(), (inside & ~is_b).sum()], [(~inside & is_b).sum(), (~inside & ~is_b).sum()]]
    assert found["p"] == pytest.approx(fisher_exact(table, alternative="greater").pvalue)
    assert (found["inside"], found["outside"]) == (1.0, 0.0)


def test_number_is_tested_by_ranks(summary, model, metadata):
    (found,) = [one for one in summary["enrichment"]["findings"] if one["column"] == "age" and one["cluster"] == 2]
    inside = model.labels_ == 2
    U, p = mannwhitneyu(metadata["age"][inside], metadata["age"][~inside], method="asymptotic")
    assert found["p"] == pytest.approx(p)
    assert found["effect"] == pytest.approx(2 * U / (inside.sum() * (~inside).sum()) - 1)


def test_ties_are_corrected_as_in_scipy(model):
    values = np.random.default_rng(0).integers(0, 15, 120) + 5 * (model.labels_ == 0)
    found = summarize(model, metadata={"count": values})["enrichment"]["findings"][0]
    inside = model.labels_ == found["cluster"]
    assert found["p"] == pytest.approx(mannwhitneyu(values[inside], values[~inside], method="asymptotic").pvalue)


def test_clusters_of_one_batch_column_share_a_sentence(model, data):
    plates = np.where(model.labels_ == 1, "B", "A")
    doubts = summarize(model, data.views, metadata={"plate": plates})["answer"]["doubts"]
    (doubt,) = [doubt for doubt in doubts if "plate" in doubt]
    assert doubt.startswith("Cluster 1 is plate B: 100% of its samples, 0% of the others.")
    assert doubt.endswith("Clusters 0 and 2 follow plate, too.")


def test_a_batch_is_named_and_a_coin_is_not(summary):
    assert any("Cluster 1 is batch B" in doubt for doubt in summary["answer"]["doubts"])
    assert "coin" not in {finding["column"] for finding in summary["enrichment"]["findings"]}
    assert "coin" in summary["enrichment"]["columns"]


def test_identifiers_and_constants_are_skipped(model):
    found = summarize(model, metadata={"id": [f"x{i}" for i in range(120)], "same": ["a"] * 120})["enrichment"]
    assert found["skipped"] == ["id", "same"]
    assert found["n_tests"] == 0


def test_missing_values_are_left_out(model):
    sex = np.array(["f", "m", None] * 40, dtype=object)
    names, codes = categories(sex)
    assert names == ["f", "m"]
    assert (codes == -1).sum() == 40
    age = np.where(np.arange(120) % 2, np.nan, np.arange(120.0))
    assert is_numeric(age)
    assert summarize(model, metadata={"age": age})["enrichment"]["columns"] == ["age"]
