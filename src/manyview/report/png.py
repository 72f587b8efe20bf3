"""Small gray images as PNG, without a library for images."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import ArrayLike


def gray_png(image: ArrayLike, /, *, largest: float) -> bytes:
    """Encode an image (height, width), one pixel per entry: 0 is white, ``largest`` black."""
    shares = np.clip(np.asarray(image, dtype=np.float64) / largest, 0, 1)
    pixels = np.round(255 * (1 - shares)).astype(np.uint8)
    height, width = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # 0: the line is stored as it is
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8 bits of gray
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(lines, 9)) + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
