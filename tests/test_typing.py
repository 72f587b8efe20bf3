"""Types for users: the README's example and correct calls pass mypy --strict, and wrong options are seen by it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import manyview

pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parents[1]
README = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S).group(1)
CALLS = """
from collections.abc import Mapping
import numpy as np
from numpy.typing import NDArray
from manyview import GMC, AnchorGraphClustering, SemiNTF, Views, cluster

X: Mapping[str, NDArray[np.float64]] = {"a": np.eye(9), "b": np.eye(9)}
labels: NDArray[np.integer] = AnchorGraphClustering(3, views=[4, 5], random_state=0, verbose=print).fit_predict(X)
new: NDArray[np.integer] = SemiNTF.paper(3, axis="samples").fit(X).predict(list(X.values()))
GMC(3).fit(Views.from_tables(["a.npy", "b.parquet"])).labels_.astype(str)
cluster([[[1.0, 2.0], [3.0, 4.0]]], n_clusters=2).report("report.html")
"""
WRONG = {
    "GMC().fit(5)": "arg-type",
    'AnchorGraphClustering(3, engine="ram")': "arg-type",
    'AnchorGraphClustering(3, anchors="k-means")': "arg-type",
    'SemiNTF(3, start="first")': "arg-type",
    'SemiNTF(3, coupling="view")': "arg-type",
    'cluster([], n_clusters="many")': "arg-type",
    "AnchorGraphClustering(neighbors=4)": "call-arg",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What mypy says about the three programs, file by file."""
    folder = tmp_path_factory.mktemp("typed")
    wrong = "from manyview import GMC, AnchorGraphClustering, SemiNTF, cluster\n" + "\n".join(WRONG)
    for name, program in {"readme": README, "calls": CALLS, "wrong": wrong}.items():
        (folder / f"{name}.py").write_text(program, encoding="utf-8")
    files = [str(folder / f"{name}.py") for name in ("readme", "calls", "wrong")]
    options = ["--strict", "--hide-error-context", "--no-pretty", f"--cache-dir={ROOT / '.mypy_cache'}"]
    command = [sys.executable, "-m", "mypy", *options, *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(manyview.__file__).parents[1])
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "error:" in line]


def test_correct_programs_have_no_type_errors(found):
    assert [line for line in found if "wrong.py" not in line] == []


def test_every_wrong_call_is_a_type_error(found):
    seen = {line.split(":")[1]: line.split("[")[-1] for line in found if "wrong.py" in line}
    assert seen == {str(number): f"{code}]" for number, code in enumerate(WRONG.values(), start=2)}
