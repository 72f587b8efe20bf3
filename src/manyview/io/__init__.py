"""Data in files: readers that take nothing on trust, and writers that leave a whole file or none."""

from manyview.io.data import DataNotPresent, MultiViewData
from manyview.io.read import read_table, read_views
from manyview.io.tables import TableFile
from manyview.io.write import write_views

__all__ = ["DataNotPresent", "MultiViewData", "TableFile", "read_table", "read_views", "write_views"]
