"""manyview: group samples that are described by several tables, without labels."""

__version__ = "0.1.0"
