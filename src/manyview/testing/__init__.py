"""Checks that every multi-view clusterer should pass, ours and yours."""

from manyview.testing.checks import check_multiview_estimator, multiview_checks

__all__ = ["check_multiview_estimator", "multiview_checks"]
