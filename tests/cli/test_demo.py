"""``manyview demo``: what it prints and what it writes, against each other and against a fit of our own."""

import csv
import subprocess

import numpy as np
import pytest

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.metrics import clustering_scores


@pytest.fixture(scope="module")
def finished(program, tmp_path_factory):
    """The demo as a user runs it, with its default folder."""
    place = tmp_path_factory.mktemp("demo")
    done = subprocess.run([program, "demo"], cwd=place, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done, place / "manyview-demo"


@pytest.fixture(scope="module")
def written(finished):
    with (finished[1] / "labels.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_installed_program_writes_three_files_and_names_them(finished):
    done, folder = finished
    assert sorted(path.name for path in folder.iterdir()) == ["labels.csv", "report.html", "report.json"]
    for path in folder.iterdir():
        assert f"  manyview-demo/{path.name}\n" in done.stdout
    assert done.stdout.endswith("Open manyview-demo/report.html in a browser.\n")


def test_progress_goes_to_standard_error_stage_by_stage(finished):
    stages = [line.split()[0] for line in finished[0].stderr.splitlines() if line.strip()]
    assert stages == ["geometry", "anchors", "candidates", "graph", "labels"]


def test_every_digit_has_a_label_and_a_confidence(written):
    assert [int(row["id"]) for row in written] == list(range(1797))
    assert {int(row["label"]) for row in written} == set(range(10))
    confidence = np.array([float(row["confidence"]) for row in written])
    assert 0 <= confidence.min() < confidence.max() <= 1


def test_labels_are_those_of_a_fit_on_the_shuffled_rows(written):
    data = load_digits_views()
    rows = np.random.default_rng(0).permutation(1797)
    model = AnchorGraphClustering(n_clusters=10, random_state=0).fit([view[rows] for view in data.views.values()])
    assert [int(written[row]["label"]) for row in rows] == model.labels_.tolist()


def test_printed_scores_are_those_of_the_written_labels(finished, written):
    scores = clustering_scores(load_digits_views().labels, [row["label"] for row in written])
    assert scores["acc"] > 0.8  # rows and ids in the wrong order would give about 0.15
    lines = [line.replace("│", " ").split() for line in finished[0].stdout.splitlines()]
    shown = {words[0]: words[1] for words in lines if len(words) == 2}
    for name in ("ACC", "Purity", "Precision", "Recall", "F-score", "ARI"):
        assert shown[name] == f"{scores[name.lower().replace('-', '_')]:.4f}"
    assert f"{scores['nmi']:.4f}" in finished[0].stdout


def test_printed_sizes_and_weights_are_complete(finished, written):
    lines = [line.replace("│", " ").split() for line in finished[0].stdout.splitlines()]
    sizes = np.bincount([int(row["label"]) for row in written]).tolist()
    assert [int(words[1]) for words in lines if len(words) == 5 and words[0].isdigit()] == sizes
    weights = {words[0]: float(words[2]) for words in lines if len(words) == 4 and words[1].isdigit()}
    assert list(weights) == ["pixels", "gradients", "fourier", "profiles"]
    assert sum(weights.values()) == pytest.approx(1, abs=0.003)
    assert "seconds" in finished[0].stdout


def test_page_can_be_opened(finished):
    page = (finished[1] / "report.html").read_text(encoding="utf-8")
    assert page.count('alt="mean image of cluster') == 10
    assert "digits, rows shuffled with seed 0" in page


def test_seed_changes_the_shuffle_and_folder_is_made(run, tmp_path):
    result = run("demo", "--out", tmp_path / "a" / "b", "--seed", 3)
    assert result.exit_code == 0
    assert "rows shuffled with seed 3" in result.stdout
    assert len((tmp_path / "a" / "b" / "labels.csv").read_text().splitlines()) == 1798


def test_folder_that_is_a_file_is_one_line_before_any_work(run, tmp_path):
    (tmp_path / "taken").write_text("mine")
    result = run("demo", "--out", tmp_path / "taken")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"manyview: cannot run the demo: --out {tmp_path / 'taken'}")
    assert result.stderr.count("\n") == 1
    assert (tmp_path / "taken").read_text() == "mine"


def test_impossible_seed_is_refused(run, tmp_path):
    result = run("demo", "--out", tmp_path / "never", "--seed", -1)
    assert result.exit_code == 2
    assert "--seed" in result.stderr
    assert not (tmp_path / "never").exists()


def test_a_file_of_others_is_not_replaced(refused, tmp_path):
    (tmp_path / "labels.csv").write_text("mine")
    assert "is no file of labels" in refused("demo", "--out", tmp_path)
    assert (tmp_path / "labels.csv").read_text() == "mine"
