"""Colors that the report and the plots share; chosen for all kinds of color vision."""

from __future__ import annotations

import math

CLUSTERS = (
    "#4477aa", "#ee7733", "#228833", "#aa3377", "#44bbdd", "#ccaa33", "#ee6677", "#33aa99", "#882255", "#88993a",
)  # fmt: skip
SEQUENTIAL = ("#3b2f7f", "#33638d", "#1f908c", "#5cc863", "#e2d639")  # dark to light, as in colors.js
DIVERGING = ("#3b78b5", "#a9c6e2", "#f7f7f6", "#f3bfa4", "#d9622b")  # below to above, as in page.css


def cluster_colors(n: int, /) -> list[str]:
    """Return ``n`` colors: ten chosen by hand, then hues that turn by the golden angle at three lightnesses."""
    return [CLUSTERS[k] if k < len(CLUSTERS) else _generated(k) for k in range(n)]


def _generated(k: int) -> str:
    lightness, hue = (
        (0.62, 0.72, 0.52)[k % 3],
        math.radians(k * 137.508 % 360),
    )  # the golden angle: successive hues are far apart
    return oklch(lightness, 0.13, hue)


def oklch(lightness: float, chroma: float, hue: float, /) -> str:
    """Convert a color of the perceptual space OKLCH to a hexadecimal sRGB color."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(min(max(part, 0.0), 1.0))):02x}" for part in linear)


def _gamma(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else float(1.055 * value ** (1 / 2.4) - 0.055)
