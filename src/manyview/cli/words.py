"""Messages of the library in the words of the command line: options for arguments, files for views."""

from __future__ import annotations

import re
from collections.abc import Mapping

# what the library says (a regular expression) -> what a command says; a test finds each in the library's messages
WORDS: tuple[tuple[str, str], ...] = (
    (
        r"Views\.from_tables\(X, join='inner'\) keeps the common samples, join='outer' lets a sample lack a view \(for "
        r"estimators that take missing views\)",
        "--join inner keeps the common samples, --join outer lets a sample lack a view",
    ),
    (
        r"join='(inner|outer)' needs ids in every view: an index, or id_column=",
        r"--join \1 needs ids in every file: --id",
    ),
    (r"join='inner' keeps", "--join inner keeps"),
    (r"Views\.from_tables\(X, impute='mean'\)", "--impute mean (or median) for manyview cluster"),
    (r"impute='(mean|median)'", r"--impute \1"),
    (r"Views\.from_tables\(X, id_column='([^']*)'\)", r"--id \1"),
    (r"\bid_column=", "--id"),
    (r"If it is a feature, rename it; if it is neither, drop it", "If it is neither, leave it out with --drop"),
    (r" \(an array, or a frame with the default index\)", ""),
    (
        r"Give every view its ids \(set_index, or id_column=\), or none of them \(reset_index\(drop=True\)\)",
        "Name the column of the ids with --id, or leave it out of all files with --drop",
    ),
    (
        r"column '([^']*)' holds text, not numbers: drop it, make it categorical \(astype\('category'\)\), count its "
        r"words \(PerView\), or, if it holds ids, name it as id_column",
        r"column '\1' holds text, not numbers: leave it out (--drop \1), take it as categories (--categorical \1), or, "
        r"if it holds ids, --id \1",
    ),
    (
        r"turn it into numbers, such as days since a date, or drop it",
        "turn it into numbers, or leave it out with --drop",
    ),
    (r": give both the same type, for example with index\.astype\(str\)", ": write them alike in both files"),
    (r"say which with header=True or header=False", "say which with --header or --no-header"),
    (
        r"\bthan time_limit\b",
        "than the limit of two minutes; convert it to Parquet, or read it in Python (time_limit=)",
    ),
    (r"\bmemory_limit\b", "the limit of 8 GiB for one file (in Python: memory_limit=)"),
    (r"say overwrite=True", "replace it with --force"),
    (r"method='([^']*)'", r"--method \1"),
    (r"n_clusters=([0-9]+) is more than n_samples=([0-9]+)", r"--n-clusters \1 is more than the \2 samples"),
    (r"n_clusters=([0-9]+)", r"--n-clusters \1"),
    (r"n_clusters='auto'", "--n-clusters auto"),
    (r"; choose one with key=", "; give a file with one"),
)


def in_words(message: str, files: Mapping[str, str] | None = None, /) -> str:
    """Return one line for a message; `files` tells the file of each view.

    Examples
    --------
    >>> from manyview.cli.words import in_words
    >>> in_words("View 'rna' lacks 3 ids. join='inner' keeps the complete ones.", {"rna": "new/rna.csv"})
    'new/rna.csv lacks 3 ids. --join inner keeps the complete ones.'
    """
    for pattern, words in sorted(WORDS, key=lambda pair: -len(pair[0])):  # the longer says more
        message = re.sub(pattern, words, message)
    for view, file in (files or {}).items():
        message = re.sub(rf"\b[Vv]iew {re.escape(repr(view))}", lambda _, file=file: file, message)  # type: ignore[misc]
    return " ".join(message.split())


def of_error(error: BaseException, files: Mapping[str, str] | None = None, /) -> str:
    """Return one line for an error; what the system refused begins with the file."""
    if isinstance(error, OSError) and error.strerror is not None:
        place = error.filename2 or error.filename
        return f"{place}: {error.strerror}" if place else error.strerror
    return in_words(str(error), files) or type(error).__name__
