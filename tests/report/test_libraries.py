"""A missing library is named together with the extra that brings it."""

import subprocess
import sys

import pytest

from manyview.report.libraries import load, require_libraries


@pytest.mark.parametrize("library", ["jinja2"])
def test_missing_library_names_the_extra(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf'needs {library}; .*pip install "manyview\[report\]"') as caught:
        require_libraries()
    assert caught.value.name == library


def test_error_inside_a_library_is_not_blamed_on_the_library(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import part_that_is_missing")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError) as caught:
        load("half_installed")
    assert caught.value.name == "part_that_is_missing"


def test_importing_the_report_loads_no_optional_library():
    code = "import sys, manyview.report; print([m for m in ('matplotlib', 'jinja2') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"
