"""Engines that run a function on a row block over all rows: in memory with threads, from disk, or on a cluster."""

from typing import Any, Literal

from manyview.engine.dask import DaskEngine
from manyview.engine.disk import DiskEngine
from manyview.engine.memory import MemoryEngine
from manyview.engine.rows import BLOCK_ROWS, Engine, FitBytes, Need, Rows, add, concatenate, edges

EngineName = Literal["memory", "disk", "dask"]
ENGINES: dict[str, Any] = {"memory": MemoryEngine, "disk": DiskEngine, "dask": DaskEngine}

__all__ = [
    "BLOCK_ROWS",
    "ENGINES",
    "DiskEngine",
    "Engine",
    "EngineName",
    "FitBytes",
    "MemoryEngine",
    "Need",
    "Rows",
    "add",
    "concatenate",
    "edges",
]
