"""A page about one clustering: summarize (model -> dict), then render (dict -> HTML)."""

from manyview.report.compact import compact_html
from manyview.report.files import report, write_report
from manyview.report.libraries import require_libraries
from manyview.report.page import render
from manyview.report.summary import Summary, summarize
from manyview.report.summary.scores import SCORE_NAMES

__all__ = [
    "SCORE_NAMES",
    "Summary",
    "compact_html",
    "render",
    "report",
    "require_libraries",
    "summarize",
    "write_report",
]
