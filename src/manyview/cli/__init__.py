"""The command ``manyview``: thin commands over the public API."""

from __future__ import annotations

import sys

EXTRAS = {
    "typer": "cli",
    "rich": "cli",
    "jinja2": "report",
    "matplotlib": "report",
    "pyarrow": "files",
    "h5py": "files",
}


def main() -> None:
    """Run the command line; a missing library ends it with one line that says what is needed, and code 2."""
    try:
        from manyview.cli.app import app  # typer and rich are loaded here, and only here

        app()
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRAS:
            raise
        reason = f'{library} is not installed; pip install "manyview[{EXTRAS[library]}]"'
        print(f"manyview: {reason}", file=sys.stderr)
        raise SystemExit(2) from None
