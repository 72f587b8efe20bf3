import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import manyview
from manyview.bench.version import code_version, copy_package, files_digest, git_commit, module_digest

ROOT = Path(manyview.__file__).parent


def test_the_version_names_what_results_depend_on(tmp_path):
    copy_package(tmp_path / "code")
    code = code_version(tmp_path / "code" / "manyview")
    assert code["manyview"] == manyview.__version__
    assert code["numpy"] == np.__version__
    assert set(code) == {"manyview", "source", "python", "numpy", "scipy", "scikit-learn"}


def test_only_edits_that_can_change_a_result_change_the_version(tmp_path):
    copy_package(tmp_path / "code")
    root = tmp_path / "code" / "manyview"
    first = code_version(root)
    for name in ("bench/tables.py", "bench/run.py", "cli/__init__.py", "report/__init__.py"):
        assert (root / name).exists()
        (root / name).write_text("# edited")
    assert code_version(root) == first
    for name in ("bench/experiment.py", "bench/worker.py", "metrics/scores.py", "new.py"):
        before = code_version(root)
        (root / name).write_text("# edited")
        assert code_version(root) != before, name


def test_a_compiled_library_is_no_source(tmp_path):
    copy_package(tmp_path / "code")
    root = tmp_path / "code" / "manyview"
    first = code_version(root)
    (root / "kernels" / "_compiled.cpython-311-x86_64-linux-gnu.so").write_bytes(b"of another compiler")
    (root / "kernels" / "_compiled.pyd").write_bytes(b"of another system")
    assert code_version(root) == first
    (root / "kernels" / "_compiled.c").write_text("int interface(void) { return 2; }")
    assert code_version(root) != first


def git(folder, *words):
    identity = ("-c", "user.name=x", "-c", "user.email=x")
    return subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_checkout_names_its_commit(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    assert git_commit(package) is None
    git(tmp_path, "init")
    assert git_commit(package) is None  # the repository of somebody who has the package in it
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "x")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    git(tmp_path, "tag", "v1")
    assert git_commit(package) == commit
    (package / "__init__.py").write_text("# edited")
    assert git_commit(package) == f"{commit}-dirty"


def test_without_git_there_is_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_commit(ROOT) is None


def test_a_copy_runs_on_its_own(tmp_path):
    copy_package(tmp_path / "code")
    shown = subprocess.run(
        [sys.executable, "-P", "-c", "import importlib.util as u; print(u.find_spec('manyview').origin)"],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "code")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(shown.stdout.strip()) == tmp_path / "code" / "manyview" / "__init__.py"


def test_a_users_module_is_digested_without_being_imported(tmp_path):
    module = tmp_path / "user_module_that_fails.py"
    module.write_text("1 / 0")
    first = module_digest("user_module_that_fails", folder=str(tmp_path))
    module.write_text("1 / 0  # edited")
    second = module_digest("user_module_that_fails", folder=str(tmp_path))
    assert None not in (first, second)
    assert first != second


def test_a_users_package_counts_with_all_its_sources(tmp_path):
    package = tmp_path / "user_package_of_two"
    package.mkdir()
    for name in ("__init__.py", "helper.py", "notes.txt"):
        (package / name).write_text("")
    first = module_digest("user_package_of_two.helper", folder=str(tmp_path))
    (package / "notes.txt").write_text("no source")
    assert module_digest("user_package_of_two.helper", folder=str(tmp_path)) == first
    (package / "helper.py").write_text("x = 1")
    assert module_digest("user_package_of_two.helper", folder=str(tmp_path)) != first


def test_what_needs_no_digest_has_none(tmp_path):
    assert module_digest("sklearn.cluster", folder=str(tmp_path)) is None
    assert module_digest("manyview.bench.methods", folder=str(tmp_path)) is None
    assert module_digest("no_such_module_anywhere", folder=str(tmp_path)) is None


def test_a_renamed_file_is_another_digest(tmp_path):
    (tmp_path / "a").write_text("same")
    first = files_digest(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert files_digest(tmp_path) != first
