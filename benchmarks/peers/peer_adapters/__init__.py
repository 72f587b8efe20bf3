"""Clusterers of other packages that offer steps instead of one estimator, put together as their documentation does.

They run in the environment that ``make peers-env`` builds, never in that of manyview.
"""
