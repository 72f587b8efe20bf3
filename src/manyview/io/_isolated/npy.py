"""One NumPy array in a file (.npy), never unpickled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .answer import Answer


def read_npy(path: str, answer: Answer) -> None:
    """Add the array to the answer."""
    array = np.lib.format.open_memmap(path, mode="r")  # compares the size that the header states with the file's
    if array.offset + array.nbytes != Path(path).stat().st_size:
        raise ValueError(f"its header promises {array.nbytes} bytes of numbers, and the file has another size")
    answer.require_room(array.nbytes, "the array")
    answer.add("", answer.table(answer.array(np.asarray(array))))
