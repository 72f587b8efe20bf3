"""Pages in Markdown whose tables are made from journals: every table has its place between two marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def filled(page: str, tables: Mapping[str, Sequence[str]], /) -> str:
    """Put the lines of every table between its marks on a page.

    Examples
    --------
    >>> print(filled("Results: <!-- scores: begin --><!-- scores: end -->", {"scores": ["| ACC |", "|---|"]}))
    Results: <!-- scores: begin -->
    | ACC |
    |---|
    <!-- scores: end -->
    """
    for name, lines in tables.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise ValueError(f"The page needs the marks {begin} and {end}.")
        page = "\n".join([before + begin, *lines, end + after])
    return page
