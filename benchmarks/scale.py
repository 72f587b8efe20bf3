"""Scale and speed, measured part by part; every measurement has a process of its own.

    python benchmarks/scale.py speed    [--rows 10000 100000 1000000]  beside k-means and the anchor methods
    python benchmarks/scale.py reuters                                 five sparse views of 18,758 documents
    python benchmarks/scale.py disk     [--rows 1000000 10000000]      Parquet under a memory limit, beside memory
    python benchmarks/scale.py dask     [--rows 200000 400000]         three worker processes, bytes an iteration
    python benchmarks/scale.py kill     [--times 20]                   SIGKILL at random iterations, and resume
    python benchmarks/scale.py page                                    docs/scale.md and its figure from the journal

Three views of 20, 50 and 30 float32 columns, K = 10. A part prints its table as Markdown; with --record its
measurements also take the place of those in docs/results/scale.jsonl, from which the page is made.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from scaling import measure, tables
from scaling.figure import draw
from scaling.parts import PARTS
from scaling.process import Result

from manyview.bench.pages import filled

DOCS = Path(__file__).resolve().parents[1] / "docs"
JOURNAL, PAGE, FIGURE = DOCS / "results" / "scale.jsonl", DOCS / "scale.md", DOCS / "results" / "scale.png"


def main() -> None:
    """Run the part that is asked for."""
    parts = {part.__name__: part for part in PARTS}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*parts, "page", "one"])
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--times", type=int)
    parser.add_argument("--folder", type=Path, help="where files are written; by default that of temporary files")
    parser.add_argument("--record", action="store_true", help="keep what was measured in the journal")
    parser.add_argument("--call", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part == "one":
        print(json.dumps(getattr(measure, options.call[0])(*options.call[1:])))
    elif options.part == "page":
        write_page()
    else:
        records = []
        for record in parts[options.part](options):
            records.append(record)
            print(json.dumps(record), flush=True)
        print("\n".join(getattr(tables, options.part)(records)))
        if options.record:
            keep(options.part, records)


def read_journal(file: Path = JOURNAL) -> dict[str, list[Result]]:
    """Records by the part that they belong to."""
    by_part: dict[str, list[Result]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        record = json.loads(line)
        by_part[record.pop("part")].append(record)
    return by_part


def keep(part: str, records: list[Result], file: Path = JOURNAL) -> None:
    """The records in place of the older ones of the part."""
    by_part = read_journal(file) | {part: records}
    lines = [json.dumps({"part": name} | one) for name, several in sorted(by_part.items()) for one in several]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_page() -> None:
    """Tables between their marks, and the figure."""
    by_part = read_journal()
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables.made(by_part)), encoding="utf-8")
    draw(by_part, FIGURE)


if __name__ == "__main__":
    main()
