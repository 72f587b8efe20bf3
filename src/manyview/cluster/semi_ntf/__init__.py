"""Semi-NTF."""

from manyview.cluster.semi_ntf.estimator import RowOrderWarning, SemiNTF

__all__ = ["RowOrderWarning", "SemiNTF"]
