"""A page about one clustering: summarise (model -> dict), then render (dict -> HTML and figures)."""

from manyview.report.files import write_labels, write_report
from manyview.report.libraries import require_libraries
from manyview.report.page import render
from manyview.report.summary import SCORE_NAMES, Summary, summarise

__all__ = ["SCORE_NAMES", "Summary", "render", "require_libraries", "summarise", "write_labels", "write_report"]
