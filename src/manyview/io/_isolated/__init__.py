"""A small program that parses files whose parsers can crash, hang or eat all memory; it runs in a process of its own.

It is started by path, as the package ``_isolated``, so that it imports NumPy and one parser but nothing else of ours:
hence relative imports here and only here. The other side of the door is ``manyview.io.isolation``.
"""
