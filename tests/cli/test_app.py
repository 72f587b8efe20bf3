"""The program as a whole: version, help, lazy imports, and what happens without an extra."""

import subprocess
import sys

import pytest

import manyview
from manyview.cli import main


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"manyview {manyview.__version__}\n")


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    for command in ("cluster", "predict", "inspect", "convert", "compare", "report", "demo", "bench", "doctor"):
        assert command in result.stdout


def test_without_a_command_there_is_help_and_no_success(run):
    result = run()
    assert result.exit_code == 2
    assert "Usage: manyview" in result.output


def test_unknown_command_is_refused(run):
    assert run("no-such-command").exit_code == 2


def test_importing_the_entry_point_loads_no_optional_library():
    # of the others, scikit-learn itself loads rich and (through pandas) pyarrow where they are installed
    code = "import sys, manyview.cli; print({'typer', 'jinja2', 'matplotlib', 'h5py'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "set()\n"


def test_help_asks_for_nothing_but_typer_and_rich():
    absent = ["pandas", "polars", "pyarrow", "jinja2", "matplotlib", "h5py", "openpyxl", "dask", "distributed"]
    code = f"import sys; sys.modules |= dict.fromkeys({absent}); from manyview.cli import main; main()"
    shown = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Usage:" in shown.stdout


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_program_without_the_extra_cli_is_one_line(library, tmp_path):
    code = f"import sys; sys.modules[{library!r}] = None; from manyview.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f'manyview: {library} is not installed; pip install "manyview[cli]"\n'


def test_demo_without_the_extra_report_is_one_line_before_any_work(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr(sys, "argv", ["manyview", "demo", "--out", str(tmp_path / "never")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", 'manyview: jinja2 is not installed; pip install "manyview[report]"\n')
    assert not (tmp_path / "never").exists()


def test_other_import_errors_are_not_hidden(monkeypatch):
    def broken():
        raise ModuleNotFoundError("No module named 'something'", name="something")

    monkeypatch.setattr("manyview.cli.app.app", broken)
    with pytest.raises(ModuleNotFoundError, match="something"):
        main()
