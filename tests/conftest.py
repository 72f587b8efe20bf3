"""Where the shared data and reference files are, what to do without them, and fixtures for several folders."""

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from manyview.kernels import compiled

# the same examples in every run: what fails here fails for everybody; HYPOTHESIS_PROFILE=search looks for new ones
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.register_profile("search")
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    if not SHARED.is_dir():
        pytest.skip("needs the shared data directory beside the project")
    return SHARED


@pytest.fixture(scope="session")
def reference_kernel(shared_dir):
    """Load one case file of the reference kernels: reference_kernel("gst_scalar")."""

    def load(name):
        with np.load(shared_dir / "reference" / "kernels" / f"{name}.npz", allow_pickle=False) as case:
            return dict(case)

    return load


@pytest.fixture(scope="session")
def shared_views(shared_dir):
    """Views and labels of a shared data set, rows shuffled unless order="stored"."""

    def load(name, seed=0, order="shuffled"):
        with np.load(shared_dir / "data" / f"{name}.npz", allow_pickle=False) as data:
            n_views = sum(key.startswith("view_") and key.count("_") == 1 for key in data)
            views = [data[f"view_{v}"].astype(np.float64) for v in range(n_views)]
            labels = np.unique(data["labels"], return_inverse=True)[1]
        if order == "stored":
            return views, labels
        rows = np.random.default_rng(100 + seed).permutation(len(labels))
        return [view[rows] for view in views], labels[rows]

    return load


@pytest.fixture(params=[16, 8, 4, 0], ids=lambda lanes: f"lanes{lanes}" if lanes else "twin")
def way(request, monkeypatch):
    """A test that uses it runs with every version of the compiled loops and with their twins in NumPy and SciPy."""
    version = next((version for version in compiled.versions if version.lanes == request.param), None)
    if request.param and version is None:
        pytest.skip(f"this installation or this processor has no loops for {request.param} numbers at once")
    monkeypatch.setattr(compiled, "library", version)
