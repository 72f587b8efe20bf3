"""Tables between marks."""

import pytest

from manyview.bench.pages import filled

PAGE = "# Title\n\n<!-- a: begin -->\nold\n<!-- a: end -->\n\ntext\n<!-- b: begin -->\n<!-- b: end -->\n"


def test_tables_go_between_their_marks_and_the_rest_stays():
    page = filled(PAGE, {"a": ["1", "2"], "b": ["3"]})
    assert page == (
        "# Title\n\n<!-- a: begin -->\n1\n2\n<!-- a: end -->\n\ntext\n<!-- b: begin -->\n3\n<!-- b: end -->\n"
    )
    assert filled(page, {"a": ["1", "2"], "b": ["3"]}) == page


@pytest.mark.parametrize("page", ["no marks", "<!-- a: begin -->\n", "<!-- a: end -->\n<!-- a: begin -->\n"])
def test_a_page_without_marks_is_refused(page):
    with pytest.raises(ValueError, match="needs the marks <!-- a: begin --> and <!-- a: end -->"):
        filled(page, {"a": []})
