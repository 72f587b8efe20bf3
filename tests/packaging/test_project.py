"""What the project says about itself in several files agrees."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import manyview

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def versions(lines, sign):
    """Name and version of the requirements with this sign."""
    found = (re.match(rf"([A-Za-z0-9_-]+)(?:\[.*\])?{sign}([\d.]+)", line) for line in lines)
    return {match[1]: tuple(map(int, match[2].split("."))) for match in found if match}


def declared(project):
    """The oldest version of every library that users, or the tests in their place, may bring."""
    extras = project["project"]["optional-dependencies"].values()
    lines = [*project["project"]["dependencies"], *(line for extra in extras for line in extra)]
    of_tests = versions(project["dependency-groups"]["test"], ">=")
    brought = {name: of_tests[name] for name in ("pandas", "polars", "skops")}
    return versions(lines, ">=") | brought | {"distributed": versions(lines, ">=")["dask"]}


def test_constraints_are_the_declared_minimum(project):
    pinned = versions((ROOT / "constraints" / "minimum.txt").read_text().splitlines(), "==")
    expected = declared(project)
    assert set(pinned) == set(expected)
    for name, version in pinned.items():
        assert version[: len(expected[name])] == expected[name], name
        assert set(version[len(expected[name]) :]) <= {0}, name


def test_the_version_is_the_same_everywhere(project):
    assert project["project"]["version"] == manyview.__version__
    assert f"version: {manyview.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f'version = "{manyview.__version__}"' in (ROOT / "conda" / "meta.yaml").read_text()


def test_the_recipe_requires_what_the_project_does(project):
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    required = versions((line.strip("- ").replace(" ", "") for line in recipe.splitlines()), ">=")
    required["matplotlib"] = required.pop("matplotlib-base")
    assert {name: required[name] for name in versions(project["project"]["dependencies"], ">=")} == versions(
        project["project"]["dependencies"], ">="
    )
    assert all(required[name] == version for name, version in declared(project).items() if name in required)


def test_every_python_of_the_classifiers_is_tested(project):
    named = {line.rpartition(" ")[2] for line in project["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)}
    tested = set(re.findall(r'"(3\.\d+)"', (ROOT / ".github" / "workflows" / "wheels.yml").read_text()))
    assert named == tested
    assert project["project"]["requires-python"] == f">={min(named, key=lambda name: int(name[2:]))}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_that_exist(path):
    targets = set(re.findall(r"run: make ([a-z-]+)", path.read_text())) - {"docs"}
    assert targets <= set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))


def test_targets_are_phony():
    phony = set(re.search(r"\.PHONY: (.*)", MAKEFILE)[1].split())
    assert phony == set(re.findall(r"^([a-z-]+):", MAKEFILE, flags=re.MULTILINE))


def test_the_sdist_is_told_of_files_that_exist():
    named = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    files = [name for command, *names in named if command in ("include", "graft") for name in names]
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_front_page_on_a_package_index_has_no_link_that_breaks():
    """setup.py needs a newer setuptools than tests do, so the function is taken out of it."""
    source = (ROOT / "setup.py").read_text()
    (function,) = [node for node in ast.parse(source).body if getattr(node, "name", "") == "front_page"]
    names = {"re": re, "Path": Path, "__file__": str(ROOT / "setup.py")}
    exec(ast.get_source_segment(source, function), names)
    page, readme = names["front_page"](), (ROOT / "README.md").read_text(encoding="utf-8")
    link = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
    assert len(link.findall(readme)) > 5
    assert link.findall(page) == []
    assert len(page.split()) > 0.95 * len(re.sub(r"!?\[[^\]]*\]", "", readme).split())
    assert re.search(r"^#{2} How good is it", page, flags=re.MULTILINE)
