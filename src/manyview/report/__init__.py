"""A page about one clustering: summarize (model -> dict), then render (dict -> HTML and figures)."""

from manyview.report.files import write_labels, write_report
from manyview.report.libraries import require_libraries
from manyview.report.page import render
from manyview.report.summary import SCORE_NAMES, Summary, summarize

__all__ = ["SCORE_NAMES", "Summary", "render", "require_libraries", "summarize", "write_labels", "write_report"]
