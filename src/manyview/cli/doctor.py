"""``manyview doctor``: what is installed, and what this machine has."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import tempfile
from typing import Annotated

import typer

from manyview.cli import EXTRAS, screen
from manyview.cluster.anchor_graph.memory import available_memory
from manyview.cluster.saving import library_versions
from manyview.kernels import compiled


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False) -> None:
    """Show versions, optional libraries, compiled loops, cores, memory and scratch space."""
    memory, scratch = available_memory(), tempfile.gettempdir()
    lanes = None if compiled.library is None else compiled.library.lanes
    missing = sorted(library for library in EXTRAS if importlib.util.find_spec(library) is None)
    facts = {
        **library_versions(),
        "compiled loops": "no: NumPy does the same, slower" if lanes is None else f"yes, {lanes} numbers at once",
        "cores": str(os.cpu_count()),
        "memory free": "unknown" if memory is None else f"{memory / 1e9:.1f} GB",
        "scratch space": f"{shutil.disk_usage(scratch).free / 1e9:.1f} GB",
        "not installed": ", ".join(f"{name} (manyview[{EXTRAS[name]}])" for name in missing) or "nothing",
    }
    if as_json:
        typer.echo(json.dumps(facts, indent=1))
        return
    screen.table("manyview", ("", ""), list(facts.items()))
