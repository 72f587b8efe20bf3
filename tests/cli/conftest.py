"""The commands, called inside this process, and the installed program."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manyview.cli.app import app


@pytest.fixture
def run(monkeypatch):
    """run("demo", "--seed", 1): the result, with stdout, stderr and exit_code."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.fixture(scope="session")
def program():
    """The entry point that the installation made."""
    path = Path(sys.executable).with_name("manyview")
    assert path.exists(), "the package is not installed: pip install -e ."
    return path
