"""``manyview datasets``: what is shown, what is fetched from a server on this machine, and exit codes."""

import io

import numpy as np
import pytest
import scipy.io

from manyview.datasets import SOURCES, register, sources
from public_files import serving


@pytest.fixture
def public(tmp_path, monkeypatch):
    monkeypatch.setenv("MANYVIEW_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as (address, files):
        monkeypatch.setattr(sources, "HOST", address)
        yield files


def offer(public, name):
    content, source = io.BytesIO(), SOURCES[name]
    scipy.io.savemat(content, {"X1": np.arange(12.0).reshape(6, 2), "X2": np.eye(6), "Y": np.arange(6) % 2})
    public.files[f"/{source.repository}/{source.commit}/{source.path}"] = content.getvalue()


def test_list_names_states_sources_and_licenses(public, run, tmp_path):
    np.savez(tmp_path / "nus.npz", view_0=np.eye(3))
    register("nus", tmp_path / "nus.npz")
    register("mine", tmp_path / "nus.npz")
    lines = run("datasets", "list").stdout.splitlines()
    place = lines.index("scene15         not fetched")
    assert lines[place + 1].split() == [
        "XLearning-SCU/2021-CVPR-Completer", "data/Scene-15.mat;", "license:", *SOURCES["scene15"].license.split(),
    ]  # fmt: skip
    assert "awa             no public source: register your own copy" in lines
    assert [line for line in lines if line.startswith(("nus", "mine"))] == [
        f"{name:<16}{(tmp_path / 'nus.npz').resolve()}" for name in ("nus", "mine")
    ]
    assert public.asked == []


def test_fetch_then_check(public, run):
    offer(public, "scene15")
    result = run("datasets", "fetch", "scene15")
    assert result.exit_code == 0
    assert "scene15" in result.stdout
    assert "License: MIT" in result.stdout
    assert run("datasets", "check").stdout == "scene15         ok\n"
    assert run("datasets", "fetch", "--quiet", "scene15").output == ""


def test_check_fails_for_what_has_changed_or_is_not_here(public, run, tmp_path):
    path = tmp_path / "file.npz"
    np.savez(path, view_0=np.eye(3))
    register("mine", path)
    path.write_bytes(b"other")
    result = run("datasets", "check")
    assert (result.exit_code, result.stdout) == (1, "mine            file has changed\n")
    result = run("datasets", "check", "mnist4")
    assert (result.exit_code, result.stdout) == (1, "mnist4          not fetched\n")


def test_what_cannot_be_fetched_is_one_line(public, run):
    result = run("datasets", "fetch", "--quiet", "mnist4")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("manyview: cannot fetch: 'mnist4' could not be fetched from http://127.0.0.1")
    assert result.stderr.count("\n") == 1
