"""Squared distances, one pair and one column at a time, in exact rational arithmetic."""

from fractions import Fraction

import numpy as np


def squared_distances(x, anchors):
    """(n, m) of the numbers as they are stored, rounded once at the end."""
    return np.array([[_of_pair(row, anchor) for anchor in anchors] for row in x])


def _of_pair(row, anchor):
    total = Fraction(0)
    for a, b in zip(row, anchor, strict=True):
        total += (Fraction(float(a)) - Fraction(float(b))) ** 2
    return float(total)
