import pytest

from manyview.kernels import compiled


@pytest.fixture(params=["compiled", "twin"])
def way(request, monkeypatch):
    """A test that uses it runs with the compiled loops and with their twins in NumPy and SciPy."""
    if request.param == "twin":
        monkeypatch.setattr(compiled, "library", None)
    elif compiled.library is None:
        pytest.skip("this installation has no compiled loops")
