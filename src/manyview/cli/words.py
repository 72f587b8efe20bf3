"""Messages of the library in the words of the command line: options for arguments, files for views."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

# what the library says -> what a command says; {} is a quoted value or a number. A test finds all in the library.
WORDS: tuple[tuple[str, str], ...] = (
    (
        "Views.from_tables(X, join='inner') keeps the common samples, join='outer' lets a sample lack a view (for "
        "estimators that take missing views)",
        "--join inner keeps the common samples, --join outer lets a sample lack a view",
    ),
    (
        "join={} needs ids in every view: an index, or id_column=",
        "--join {} needs ids in every file: name them with --id",
    ),
    ("join='inner' keeps", "--join inner keeps"),
    ("choose Views.from_tables(X, impute='mean')", "choose --impute mean (or median) for manyview cluster"),
    ("Views.from_tables(X, id_column={}) matches", "--id {} matches"),
    (
        "If it is a feature, rename it; if it is neither, drop it",
        "If it is not, rename it, or leave it out with --drop",
    ),
    ("choose one with id_column=", "choose one with --id"),
    (" (an array, or a frame with the default index)", ""),
    (
        "Give every view its ids (set_index, or id_column=), or none of them (reset_index(drop=True))",
        "Name the column of the ids with --id, or leave it out of all files with --drop",
    ),
    (
        "drop it, make it categorical (astype('category')), count its words (PerView), or, if it holds ids, name it as "
        "id_column",
        "leave it out with --drop, take it as categories with --categorical, or, if it holds ids, name it with --id",
    ),
    ("such as days since a date, or drop it", "such as days since a date, or leave it out with --drop"),
    (": give both the same type, for example with index.astype(str)", ": write them alike in both files"),
    ("say which with header=True or header=False", "say which with --header or --no-header"),
    ("took longer than time_limit", "took longer than two minutes: convert it to Parquet, or read it in Python"),
    ("more memory than memory_limit allows", "more than 8 GiB of memory"),
    ("are more than memory_limit", "are more than the limit for one file"),
    (
        "every view must describe the same samples, in the same order",
        "without ids rows are matched by position; give all files the same rows, or name the column of ids with --id",
    ),
    ("say overwrite=True", "replace it with --force"),
    ("n_clusters={} is more than n_samples={}", "--n-clusters {} is more than the number of samples, {}"),
    ("; choose one with key=", "; give a file with one"),
)
VALUE = r"'?([^'\s,;:()]+)'?"


def in_words(message: str, files: Mapping[str, str] | None = None, /) -> str:
    """Return one line for a message; `files` tells the file of each view.

    Examples
    --------
    >>> from manyview.cli.words import in_words
    >>> in_words("View 'rna' lacks 3 ids. join='inner' keeps the complete ones.", {"rna": "new/rna.csv"})
    'new/rna.csv lacks 3 ids. --join inner keeps the complete ones.'
    """
    for said, words in WORDS:
        message = re.sub(re.escape(said).replace(r"\{\}", VALUE), partial(_filled, words), message)
    for view, file in (files or {}).items():
        message = message.replace(f"View {view!r}", file).replace(f"view {view!r}", file)
    return " ".join(message.split())


def _filled(words: str, found: re.Match[str]) -> str:
    return words.format(*found.groups())


def of_error(error: BaseException, files: Mapping[str, str] | None = None, /) -> str:
    """Return one line for an error; what the system refused begins with the file."""
    if isinstance(error, OSError) and error.strerror is not None:
        place = error.filename2 or error.filename
        return f"{place}: {error.strerror}" if place else error.strerror
    return in_words(str(error), files) or type(error).__name__
