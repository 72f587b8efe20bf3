"""The slow oracle, for all tests of the metrics."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def oracle():
    path = Path(__file__).resolve().parents[1] / "oracles" / "metrics_oracle.py"
    spec = importlib.util.spec_from_file_location("metrics_oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
