"""How many damaged files a test tries, and a journal of what became of them.

MANYVIEW_MUTATIONS=1000 MANYVIEW_JOURNAL=docs/results/mutations.jsonl pytest -n 0 --timeout 0 -m mutations tests
"""

import json
import os
from collections import Counter
from pathlib import Path

N_FILES = int(os.environ.get("MANYVIEW_MUTATIONS", "200"))
ENDS = {"took longer than": "stopped after the time limit", "the parser": "ended the parser, not the program"}


def record(kind, complaints, n_files=N_FILES):
    """Keep how many files were tried, and what happened to those that were not read."""
    if "MANYVIEW_JOURNAL" not in os.environ:
        return
    ends = Counter(next((ENDS[words] for words in ENDS if words in one), "one error") for one in complaints)
    line = {"format": kind, "tried": n_files, "read as data": n_files - len(complaints)} | dict(ends)
    with Path(os.environ["MANYVIEW_JOURNAL"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
