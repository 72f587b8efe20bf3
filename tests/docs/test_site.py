"""The site has a place for every example and every method, and loads nothing from elsewhere."""

import importlib.util
import re
from pathlib import Path

import pytest

import manyview

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if not path.relative_to(DOCS).parts[0].startswith("_"))
METHODS = {name for name in manyview.__all__ if name.isupper()} | {"AnchorGraphClustering", "SemiNTF"}


def test_every_example_has_a_place_in_the_gallery():
    found = importlib.util.spec_from_file_location("gallery_order", DOCS / "_ext" / "gallery_order.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    assert set(module.ORDER) == {path.name for path in (ROOT / "examples").glob("*.py")}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_which_method_has_two_rows_for_every_method(method):
    text = (DOCS / "which.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"^\| {{py:class}}`~manyview\.{method}` \|", text, flags=re.MULTILINE)) == 2


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pictures_are_files_of_the_project(page):
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    for picture in pictures:
        made = re.search(r"sphx_glr_(plot_\w+)_\d+\.png$", picture)
        place = ROOT / "examples" / f"{made[1]}.py" if made else page.parent / picture
        assert place.is_file(), picture


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_parameters_in_code_exist(page):
    """Names after ``AnchorGraphClustering(`` or ``SemiNTF(`` in the pages are parameters of them."""
    text = page.read_text(encoding="utf-8")
    for name, arguments in re.findall(r"\b(AnchorGraphClustering|SemiNTF)\(([^()]*)\)", text):
        given = set(re.findall(r"(\w+)=(?!=)", arguments))
        assert given <= set(getattr(manyview, name)().get_params()), (name, arguments)
