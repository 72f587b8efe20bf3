"""Run every block of start.md and write what it prints below it: ``python docs/start.py``. A test compares the two."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "start.md"
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def run(language: str, code: str, folder: Path) -> str:
    """Run one block in a folder, and return what it prints."""
    command = ["-W", "error", "-c", code] if language == "python" else ["-m", *shlex.split(code)]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{code}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n"


def outputs(page: str, folder: Path) -> list[tuple[str, str]]:
    """Return what the page shows and what really comes out, for every block of text."""
    found, printed = [], ""
    for language, block in BLOCK.findall(page):
        if language == "text":
            found.append((block, printed))
        else:
            printed = run(language, block, folder)
    return found


def main() -> None:
    """Write the page again."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for shown, real in outputs(text, Path(folder)):
            text = text.replace(f"```text\n{shown}```", f"```text\n{real}```", 1)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
