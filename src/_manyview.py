"""The program ``manyview``: Ctrl-C ends it in one line even while it loads its libraries, for a second or two.

This is no module of the package, because importing one loads the package, with its libraries, first.
"""

import os
import signal
from typing import Any


def main() -> None:
    """Load the command line and run it."""
    before = signal.signal(signal.SIGINT, _stop)
    from manyview.cli import main as run

    signal.signal(signal.SIGINT, before)
    run()


def _stop(*_: Any) -> None:
    """End the process at once: nothing is written yet, and a library may swallow an exception while it is loaded."""
    os.write(2, b"manyview: interrupted\n")
    os._exit(130)
