"""Data to cluster: the embedded digits, synthetic makers, tolerant readers of files, names for your own files."""

from manyview.datasets.digits import load_digits_views
from manyview.datasets.makers import make_like, make_views
from manyview.datasets.registry import checksum, load, register, registered
from manyview.io import DataNotPresent, MultiViewData, read_views

__all__ = [
    "DataNotPresent",
    "MultiViewData",
    "checksum",
    "load",
    "load_digits_views",
    "make_like",
    "make_views",
    "read_views",
    "register",
    "registered",
]
