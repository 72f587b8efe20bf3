"""How a function on a row block runs over all rows: in memory, with threads."""

from manyview.engine.memory import MemoryEngine
from manyview.engine.rows import Engine, Rows, add

__all__ = ["Engine", "MemoryEngine", "Rows", "add"]
