"""The project's front pages keep their word: the example prints what is shown, links lead somewhere, examples run."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import manyview

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
NUMBER = re.compile(r"\d+\.\d+")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def test_readme_example_prints_what_the_readme_shows():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(blocks("README.md", "python")[0], "README.md", "exec"), {})
    shown, real = blocks("README.md", "text")[0], printed.getvalue()
    assert NUMBER.sub("#", real) == NUMBER.sub("#", shown)
    # another BLAS may move anchors, and with them a few rows
    assert [float(x) for x in NUMBER.findall(real)] == pytest.approx(
        [float(x) for x in NUMBER.findall(shown)], abs=0.03
    )


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_readme_has_a_line_for_every_method():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("<!-- methods: begin -->")[2].partition("<!-- methods: end -->")[0]
    shown = set(re.findall(r"^\| \**(\w+)", table, flags=re.MULTILINE))
    estimators = {name for name in manyview.__all__ if name.isupper() or name == "SemiNTF"}
    assert estimators - shown == set()
    assert {"KMeans", "Spectral"} <= shown


def test_version_is_the_same_everywhere():
    assert f"\nversion: {manyview.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == manyview.__version__


EXAMPLES = {
    "plot_choosing_k.py": r"K = 6(.|\n)*chosen without a fit: 6",
    "plot_compare_methods.py": r"AnchorGraphClustering  ACC 0\.9\d",
    "plot_dask.py": r"dask array, same bits as in memory: True",
    "plot_data_frames.py": r"same as aligned by hand: True(.|\n)*lacks 1 of the 200 ids(.|\n)*, ARI (0\.9\d|1\.00)",
    "plot_data_over_time.py": r"1,500 rows seen\n(.|\n)*match_to= +(?:0\.9\d|1\.00)(.|\n)*either way: True",
    "plot_digits.py": r"acc +0\.[89]\d+",
    "plot_embeddings.py": r"together +ACC 0\.9",
    "plot_larger_than_memory.py": r"ARI 0\.9\d+(.|\n)*bits as in memory: True\npredict reads files as well: True",
    "plot_metadata.py": r"diagnosis (.|\n)*page\.html: ",
    "plot_missing_views.py": r"20% of the rows removed: ARI 0\.[78]\d(.|\n)*350 with both views, ARI (0\.9|1\.0)",
    "plot_multi_omics.py": r"# 4 clusters(.|\n)*set apart in protein: \w+-p",
    "plot_new_samples.py": r"ACC on new rows +0\.[89](.|\n)*same labels after loading: True",
    "plot_ordered_rows.py": r"with the order +ACC (?:0\.9\d|1\.00), \d changes",
    "plot_pipeline.py": r"weights of the views: \[0\.",
    # sorted rows help the sample axis alone: over .5 against under .4 on shuffled rows
    "plot_row_order.py": r"axis='samples' +0\.[5-9]\d+ +0\.[0-3]\d+\n",
    "plot_semi_ntf.py": r"t-product .*: (0\.9\d|1\.00)\nper view .*: 0\.[0-6]\d",
    "plot_semi_ntf_pictures.py": r"two ways: \de-1\d\n\d+ iterations, converged: True",
    "plot_text.py": r"ACC (0\.9\d+|1\.000)",
    "plot_trust_and_reasons.py": r"chosen inside the fit: 5\n(.|\n)*held together by  protein",
}


def test_every_example_is_tested():
    assert sorted(path.name for path in (ROOT / "examples").glob("*.py")) == sorted(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs_and_shows_its_point(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / name],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "template"},  # draws nothing, on any machine
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(EXAMPLES[name], done.stdout), done.stdout
    assert list(tmp_path.iterdir()) == []
