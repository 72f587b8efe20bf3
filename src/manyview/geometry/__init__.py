"""Scaling of raw rows to comparable tables: column statistics, scalings, word scores, and partial whitening."""

from manyview.geometry.fit import DEFAULT_OPTIONS, SCALES, Geometry, GeometryOptions, Scale, fit_geometry

__all__ = ["DEFAULT_OPTIONS", "SCALES", "Geometry", "GeometryOptions", "Scale", "fit_geometry"]
