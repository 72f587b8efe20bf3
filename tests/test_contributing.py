"""What CONTRIBUTING promises about places: every module has its tests where it says, and the tasks name real files."""

import re
from pathlib import Path

import pytest

import manyview

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = Path(manyview.__file__).parent, ROOT / "tests"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MODULES = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in SOURCE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)

# module, or all of a folder -> the file that tests it together with the module that uses it
TESTED_WITH = {
    "bench/family.py": "bench/test_run.py",
    "bench/keys.py": "bench/test_plan.py",
    "bench/posix.py": "cli/test_without_posix.py",
    "cli/convert.py": "cli/test_small_commands.py",
    "cli/divide.py": "cli/test_cluster.py",
    "cli/doctor.py": "cli/test_small_commands.py",
    "cli/fitted.py": "cli/test_predict.py",
    "cli/inputs.py": "cli/test_cluster.py",
    "cli/metadata.py": "cli/test_cluster.py",
    "cli/options.py": "cli/test_cluster.py",
    "cli/places.py": "cli/test_faults.py",
    "cli/report.py": "cli/test_small_commands.py",
    "cluster/anchor_graph/selection.py": "cluster/anchor_graph/test_n_clusters_shortlist.py",
    "cluster/anchor_graph/stages.py": "cluster/anchor_graph/test_estimator.py",
    "cluster/semi_ntf/coupling.py": "cluster/semi_ntf/test_estimator.py",
    "cluster/semi_ntf/warnings.py": "cluster/test_checks.py",
    "datasets/sources.py": "datasets/test_fetch.py",
    "engine/spill.py": "engine/test_disk.py",
    "io/_isolated/answer.py": "io/test_npz.py",
    "io/_isolated/csv_dialect.py": "io/test_csv_file.py",
    "io/_isolated/guard.py": "io/test_isolation.py",
    "io/_isolated/mat73.py": "io/test_hdf5.py",
    "io/_isolated": "io/test_formats.py",
    "io/matrices.py": "io/test_read.py",
    "io/values.py": "io/test_layout.py",
    "io/write_anndata.py": "io/test_formats.py",
    "plotting": "plotting/test_displays.py",
    "report/charts.py": "report/test_page.py",
    "report/compact.py": "report/test_files.py",
    "report/palette.py": "report/test_page.py",
    "report/png.py": "report/test_page.py",
    "report/sections.py": "report/test_summary.py",
    "report/summary": "report/test_summary.py",
    "testing/bad_input.py": "testing/test_checks.py",
    "views/arrow.py": "views/test_stored.py",
    "views/dask_tables.py": "views/test_check.py",
    "views/ranges.py": "views/test_check.py",
}


def own_tests(module):
    """Test files at the mirrored path, or one folder up for the modules of a folder within a folder."""
    path = Path(module)
    folders = {TESTS / path.parent, TESTS / path.parent.parent}
    return [file for f in folders for file in (*f.glob(f"test_{path.stem}.py"), *f.glob(f"test_{path.stem}_*.py"))]


@pytest.mark.parametrize("module", MODULES)
def test_module_has_its_test_file(module):
    elsewhere = TESTED_WITH.get(module) or TESTED_WITH.get(Path(module).parent.as_posix())
    assert own_tests(module) or (elsewhere and (TESTS / elsewhere).is_file())


@pytest.mark.parametrize("entry", TESTED_WITH)
def test_list_of_modules_tested_elsewhere_is_needed(entry):
    assert (SOURCE / entry).exists()
    assert (TESTS / TESTED_WITH[entry]).is_file()
    assert (SOURCE / entry).is_dir() or not own_tests(entry)


def tasks():
    """(task, files) of every row of the table of tasks."""
    table = GUIDE.split("| task | open | and |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "`" in line]
    return [(row[0], re.findall(r"`([\w/]+(?:\.\w+|/))`", " ".join(row[1:]))) for row in rows]


def test_there_are_twelve_tasks():
    assert len(tasks()) == 12


@pytest.mark.parametrize("task, files", tasks())
def test_task_names_at_most_two_files_that_exist(task, files):
    assert 1 <= len(files) <= 2
    assert all((SOURCE / file).exists() for file in files)


@pytest.mark.parametrize("folder", ["cluster/anchor_graph", "cluster/semi_ntf"])
def test_architecture_lists_the_stages(folder):
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| `{folder}/` |"))
    listed = re.findall(r"`(\w+)`", row.split(":")[1])
    assert sorted(listed) == sorted(path.stem for path in (SOURCE / folder).glob("*.py") if path.stem != "__init__")


def test_targets_of_make_name_files_that_exist():
    named = set(re.findall(r"tests/[\w/]+(?:\.py)?", (ROOT / "Makefile").read_text(encoding="utf-8")))
    assert len(named) > 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
