import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from manyview.kernels import compiled


@pytest.mark.skipif(compiled.library is None, reason="this installation has no compiled loops")
def test_the_environment_asks_for_the_twins():
    code = "from manyview.kernels import compiled; print(compiled.library is None)"
    for value, expected in (("0", "True"), ("1", "False")):
        environment = os.environ | {"MANYVIEW_COMPILED": value}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == expected


@pytest.mark.skipif(compiled.library is None, reason="this installation has no compiled loops")
def test_a_library_that_does_not_fit_makes_way_for_the_twins(tmp_path, monkeypatch):
    whole = Path(find_spec("manyview.kernels._compiled").origin).read_bytes()
    (tmp_path / "short.so").write_bytes(whole[:100])
    monkeypatch.setattr(compiled, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / "short.so")))
    with pytest.warns(RuntimeWarning, match=r"compiled loops of manyview cannot be used .*Install the package again"):
        assert compiled._load() == []
    monkeypatch.undo()
    monkeypatch.setattr(compiled, "INTERFACE", -1)
    with pytest.warns(RuntimeWarning, match="they are of another version"):
        assert compiled._load() == []
