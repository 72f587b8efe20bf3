"""Data to cluster: the embedded digits, synthetic makers, readers of files, public data sets, names for your files."""

from manyview.datasets.digits import load_digits_views
from manyview.datasets.fetch import fetch, verify
from manyview.datasets.makers import make_like, make_views
from manyview.datasets.registry import checksum, load, register, registered
from manyview.datasets.sources import OWN_COPIES, SOURCES, Source
from manyview.io import DataNotPresent, MultiViewData, read_views

__all__ = [
    "OWN_COPIES",
    "SOURCES",
    "DataNotPresent",
    "MultiViewData",
    "Source",
    "checksum",
    "fetch",
    "load",
    "load_digits_views",
    "make_like",
    "make_views",
    "read_views",
    "register",
    "registered",
    "verify",
]
