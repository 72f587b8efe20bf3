"""``manyview cluster``: files in, a folder with labels, a model and a report out."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from manyview.cli import screen
from manyview.cli.inputs import Columns, Inputs, described, load_tables, read_inputs
from manyview.cli.metadata import read_metadata
from manyview.cli.options import (
    Categorical,
    Divide,
    Drop,
    Files,
    Header,
    Id,
    Impute,
    Join,
    Json,
    Quiet,
    SpreadsheetSafe,
)
from manyview.cli.places import require_folder
from manyview.result import METHODS, Result, estimator_for


def cluster(
    files: Files,
    out: Annotated[Path, typer.Option(help="Folder of the results; absent or empty, unless --force.")],
    n_clusters: Annotated[str, typer.Option("--n-clusters", "-k", help="Number of clusters, or auto.")] = "auto",
    id_column: Id = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "AnchorGraphClustering",
    join: Join = None,
    impute: Impute = None,
    views: Divide = None,
    categorical: Categorical = None,
    drop: Drop = None,
    header: Header = None,
    metadata: Annotated[Path | None, typer.Option(help="Table about the samples, for the report only.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the method.")] = 0,
    jobs: Annotated[int, typer.Option(min=-1, help="Number of threads; -1 uses all cores.")] = -1,
    report: Annotated[bool, typer.Option(help="Write report.html and report.json.")] = True,
    spreadsheet_safe: SpreadsheetSafe = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that this command wrote before.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cluster samples that several tables describe.

    Writes labels.csv, result.parquet, model.manyview, run.json and report.html to a new folder.
    """
    with screen.explained("cannot cluster", kinds=screen.REPAIRABLE) as places:
        K = _number(n_clusters)
        if method not in METHODS:
            raise ValueError(f"--method {method}: give one of {', '.join(METHODS)}")
        if jobs == 0:
            raise ValueError("--jobs 0: give a number of threads, or -1 for all cores")
        require_folder(out, force=force)
        with warnings.catch_warnings(record=True) as caught, screen.stages(quiet=quiet or as_json) as stages:
            warnings.simplefilter("default")
            stages("reading", 0, 1)
            found = load_tables(files, Columns(id_column, drop or (), categorical or (), views, header))
            places |= found.places
            inputs = read_inputs(found, files, join=join, impute=impute)
            about = None if metadata is None else read_metadata(metadata, id_column, inputs.views)
            result = _fit(inputs, method, K, seed=seed, jobs=jobs, stages=stages)
            stages("writing", 0, 1)
            messages = list(dict.fromkeys(str(one.message) for one in caught))
            result = replace(result, facts={"files": described(files), "warnings": messages})
            options: dict[str, Any] = {} if about is None else {"metadata": about}
            if inputs.labels is not None:
                options["y_true"] = inputs.labels
            paths = result.save(out, report=report, spreadsheet_safe=spreadsheet_safe, replace=force, **options)
    if as_json:
        typer.echo(json.dumps(result.run_facts(), indent=1))
    elif not quiet:
        _show(result, messages, paths)


def _number(text: str) -> int | Literal["auto"]:
    if text == "auto":
        return "auto"
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"--n-clusters {text}: give a number of at least 1, or auto")
    return int(text)


def _fit(inputs: Inputs, method: str, K: int | str, *, seed: int, jobs: int, stages: screen.Stages) -> Result:
    start = time.perf_counter()
    estimator = estimator_for(method, K, inputs.views, random_state=seed)
    known = estimator.get_params()
    wanted = {"n_jobs": jobs, "verbose": stages}
    estimator.set_params(**{name: value for name, value in wanted.items() if name in known})
    if "verbose" not in known:
        stages("fit", 0, 1)
    model = estimator.fit(inputs.views)
    if "verbose" in known:
        model.set_params(verbose=False)
    return Result(model, inputs.views, time.perf_counter() - start, inputs.name)


def _show(result: Result, messages: list[str], paths: list[Path]) -> None:
    model = result.model
    labels, confidence = np.asarray(model.labels_), getattr(model, "confidence_", None)
    stability = getattr(model, "cluster_stability_", None)
    rows = []
    for label in np.unique(labels):
        here = labels == label
        stable = [] if stability is None else ["" if label < 0 else f"{stability[label]:.2f}"]
        sure = [] if confidence is None else [f"{np.asarray(confidence)[here].mean():.3f}"]
        rows.append((str(label), f"{here.sum():,}", *stable, *sure))
    measured = {"stability": stability, "mean confidence": confidence}
    screen.table("Clusters", ("cluster", "samples", *(name for name, one in measured.items() if one is not None)), rows)
    weights = getattr(model, "view_weights_", None)
    named = zip(model.view_names_, model.view_widths_, strict=True)
    view_rows = [
        (name, str(width), *([] if weights is None else [f"{weights[v]:.3f}"])) for v, (name, width) in enumerate(named)
    ]
    screen.table("Views", ("view", "columns", *([] if weights is None else ["weight"])), view_rows)
    screen.notes([*messages, *model.view_notes_])
    doubts = [doubt for path in paths if path.name == "report.json" for doubt in _doubts(path)]
    if doubts:
        typer.echo("What to doubt:\n" + "\n".join(f"  {doubt}" for doubt in doubts))
    typer.echo(f"{result.n_clusters} clusters of {len(labels):,} samples in {result.seconds:.1f} s. Wrote")
    for path in paths:
        typer.echo(f"  {path}")


def _doubts(facts: Path) -> list[str]:
    """Return what the report doubts."""
    found: list[str] = json.loads(facts.read_text(encoding="utf-8"))["answer"]["doubts"]
    return found
