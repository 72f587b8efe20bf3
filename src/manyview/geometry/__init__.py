"""From raw rows to comparable tables: column statistics, scalings, word scores, and partial whitening of each view."""

from manyview.geometry.fit import SCALES, Geometry, fit_geometry

__all__ = ["SCALES", "Geometry", "fit_geometry"]
