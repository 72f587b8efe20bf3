"""Which engine runs a fit: as asked for, or as the input suggests."""

from __future__ import annotations

import sys
from typing import Any

from manyview.engine import DiskEngine, Engine, MemoryEngine
from manyview.views import StoredTable, Views, in_memory
from manyview.views.dask_tables import as_dask, is_dask

ENGINES = ("memory", "disk", "dask")


def engine_for(estimator: Any, views: Views, /) -> tuple[Views, Engine]:
    """The engine, and the views in the form that it reads."""
    name = chosen_engine(estimator.engine, views)
    options = {"block_rows": estimator.block_rows}
    if name == "memory":
        return in_memory(views), MemoryEngine(n_jobs=estimator.n_jobs, **options)
    if name == "disk":
        if any(is_dask(table) for table in views.tables):
            raise ValueError("engine='disk' reads files and arrays; for Dask collections use engine='dask'.")
        return views, DiskEngine(n_jobs=estimator.n_jobs, scratch=estimator.scratch, **options)
    from manyview.engine.dask import DaskEngine

    tables = [as_dask(table) if isinstance(table, StoredTable) else table for table in views.tables]
    return views.with_(tables=tuple(tables)), DaskEngine(**options)


def chosen_engine(engine: str, views: Views, /) -> str:
    """The engine's name; "auto" looks at where the tables are."""
    if engine != "auto":
        return engine
    if any(is_dask(table) for table in views.tables):
        return "dask"
    if any(isinstance(table, StoredTable) for table in views.tables):
        return "dask" if client_is_active() else "disk"
    return "memory"


def client_is_active() -> bool:
    """Whether this process has a Dask client; who has none has not imported the library either."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        return distributed.get_client() is not None
    except ValueError:
        return False
