"""Engines that run a function on a row block over all rows: in memory with threads, from disk, or on a cluster."""

from manyview.engine.disk import DiskEngine
from manyview.engine.memory import MemoryEngine
from manyview.engine.rows import BLOCK_ROWS, Engine, Rows, add, concatenate, edges

__all__ = ["BLOCK_ROWS", "DiskEngine", "Engine", "MemoryEngine", "Rows", "add", "concatenate", "edges"]
