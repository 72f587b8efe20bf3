import pytest

from manyview.kernels import compiled


@pytest.fixture(params=[16, 8, 4, 0], ids=lambda lanes: f"lanes{lanes}" if lanes else "twin")
def way(request, monkeypatch):
    """A test that uses it runs with every version of the compiled loops and with their twins in NumPy and SciPy."""
    version = next((version for version in compiled.versions if version.lanes == request.param), None)
    if request.param and version is None:
        pytest.skip(f"this installation or this processor has no loops for {request.param} numbers at once")
    monkeypatch.setattr(compiled, "library", version)
