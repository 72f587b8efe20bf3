"""How values cross the process border: a JSON tree of what was found, then the arrays and tables as raw bytes."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

Node: TypeAlias = dict[str, Any]


class Answer:
    """Collects the variables of one file; `limit` is the number of bytes that they may take."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.variables: list[tuple[str, Node]] = []  # pairs, since a file may repeat a name
        self._payloads: list[Any] = []  # arrays and Arrow tables
        self._about: list[Node] = []  # what the other side must know to read each

    def add(self, name: str, node: Node) -> None:
        self.variables.append((name, node))

    def array(self, value: NDArray[Any]) -> Node:
        """Keep a plain array of numbers, truth values or text."""
        if value.dtype.kind not in "biufcU":
            return self.unusable(f"values of type {value.dtype}")
        return {"kind": "array", "key": self._keep(value)}

    def sparse(
        self,
        data: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        shape: tuple[int, ...],
        *,
        by_columns: bool,
    ) -> Node:
        """Keep a compressed sparse matrix just as it was found: it is checked on the other side."""
        keys = [self._keep(np.asarray(part)) for part in (data, indices, indptr)]
        return {"kind": "sparse", "keys": keys, "shape": [int(n) for n in shape], "by_columns": by_columns}

    def cell(self, shape: tuple[int, ...], items: list[Node]) -> Node:
        """Keep a MATLAB cell array, its items in MATLAB's order (first index fastest)."""
        return {"kind": "cell", "shape": [int(n) for n in shape], "items": items}

    def unusable(self, what: str) -> Node:
        """Mention something that can be neither a view nor labels."""
        return {"kind": "unusable", "what": what}

    def arrow(self, table: Any) -> Node:
        """Keep an Arrow table."""
        table.validate(full=True)
        self._payloads.append(table)
        self._about.append({"arrow": True})
        return {"kind": "array", "key": len(self._payloads) - 1}

    def table(self, content: Node, *, ids: list[str] | None = None, columns: list[str] | None = None) -> Node:
        """Put a table together: its content, and the names of its rows and columns where the file has them."""
        return {"kind": "table", "content": content, "ids": ids, "columns": columns}

    def require_room(self, n_bytes: int, what: str) -> None:
        """Refuse what would not fit into the memory limit, before it is read."""
        if n_bytes > self.limit:
            raise MemoryError(f"{what} takes {n_bytes} bytes")

    def send(self, pipe: BinaryIO) -> None:
        """Write the tree and then, one after the other, what it refers to."""
        send_json({"variables": self.variables, "payloads": self._about}, pipe)
        for payload in self._payloads:
            if isinstance(payload, np.ndarray):
                if payload.nbytes:
                    pipe.write(payload.reshape(-1).view(np.uint8).data)
            else:
                import pyarrow as pa

                with pa.ipc.new_stream(pipe, payload.schema) as stream:
                    stream.write_table(payload)
        pipe.flush()

    def _keep(self, value: NDArray[Any]) -> int:
        by_columns = value.flags.f_contiguous and not value.flags.c_contiguous
        self._payloads.append(np.ascontiguousarray(value.T if by_columns else value))
        self._about.append({"dtype": value.dtype.str, "shape": list(value.shape), "order": "F" if by_columns else "C"})
        return len(self._payloads) - 1


def send_json(message: Node, pipe: BinaryIO) -> None:
    """Write a message: its length in 8 bytes, then JSON."""
    content = json.dumps(message).encode()
    pipe.write(len(content).to_bytes(8, "little") + content)
    pipe.flush()
