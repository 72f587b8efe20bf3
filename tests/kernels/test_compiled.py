import os
import subprocess
import sys

import pytest

from manyview.kernels import compiled


@pytest.mark.skipif(compiled.library is None, reason="this installation has no compiled loops")
def test_the_environment_asks_for_the_twins():
    code = "from manyview.kernels import compiled; print(compiled.library is None)"
    for value, expected in (("0", "True"), ("1", "False")):
        environment = os.environ | {"MANYVIEW_COMPILED": value}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.strip() == expected
