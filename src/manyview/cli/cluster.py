"""``manyview cluster``: files in, a folder with labels, a model and a report out."""

from __future__ import annotations

import json
import os
import shutil
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from manyview.cli import screen
from manyview.cli.inputs import Columns, Inputs, read_inputs, read_metadata
from manyview.result import METHODS, Result, estimator_for

Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help="A table per view, or one file or folder of views.")]
Id = Annotated[str | None, typer.Option("--id", help="Column of the ids, by which rows are matched.")]
MARK = "run.json"  # a folder with it was written by this command


def cluster(
    files: Files,
    out: Annotated[Path, typer.Option(help="Folder of the results; must not exist, unless --force.")],
    n_clusters: Annotated[str, typer.Option("--n-clusters", "-k", help="Number of clusters, or auto.")] = "auto",
    id_column: Id = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "AnchorGraphClustering",
    join: Annotated[
        Literal["inner", "outer"] | None, typer.Option(help="Keep the common samples, or all, if the ids differ.")
    ] = None,
    impute: Annotated[Literal["mean", "median"] | None, typer.Option(help="Fill missing cells.")] = None,
    views: Annotated[
        str | None,
        typer.Option(help="Divide ONE table: 'prefix:' (columns rna:g1), or a JSON file of columns."),
    ] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="Column of texts that are categories.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out; repeatable.")] = None,
    metadata: Annotated[Path | None, typer.Option(help="Table about the samples, for the report only.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the method.")] = 0,
    jobs: Annotated[int, typer.Option(min=-1, help="Number of threads; -1 uses all cores.")] = -1,
    report: Annotated[bool, typer.Option(help="Write report.html and report.json.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace a folder that this command wrote before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print run.json, and nothing else.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Cluster samples that several tables describe.

    Writes labels.csv, result.parquet, model.manyview, run.json and report.html to a new folder.
    """
    with screen.explained("cannot cluster", kinds=screen.REPAIRABLE):
        _require_place(out, force=force)
        with warnings.catch_warnings(record=True) as caught, screen.stages(quiet=quiet or as_json) as stages:
            warnings.simplefilter("default")
            stages("reading", 0, 1)
            columns = Columns(id_column, drop or (), categorical or (), views)
            inputs = read_inputs(files, columns, join=join, impute=impute)
            about = None if metadata is None else read_metadata(metadata, id_column, inputs.views)
            result = _fit(inputs, method, _number(n_clusters), seed=seed, jobs=jobs, stages=stages)
            stages("writing", 0, 1)
            messages = list(dict.fromkeys(str(one.message) for one in caught))
            result = replace(result, facts={"files": inputs.files, "warnings": messages})
            options: dict[str, Any] = {"metadata": about, "y_true": inputs.labels}
            paths = _save(result, out, report=report, options={k: v for k, v in options.items() if v is not None})
    if as_json:
        typer.echo(json.dumps(result.run_facts(), indent=1))
    elif not quiet:
        _show(result, messages, paths)


def _number(text: str) -> int | Literal["auto"]:
    if text == "auto":
        return "auto"
    if not text.isdigit() or int(text) < 1:
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


def _require_place(out: Path, *, force: bool) -> None:
    if not out.exists():
        return
    ours = (out / MARK).is_file()
    if not force:
        hint = "name another folder, or replace it with --force" if ours else "name another folder"
        raise FileExistsError(f"{out} exists already: {hint}")
    if not ours:
        raise FileExistsError(f"{out} was not written by this command, so --force does not replace it")


def _save(result: Result, out: Path, *, report: bool, options: dict[str, Any]) -> list[Path]:
    """Write the folder whole; an older one is replaced at the very end."""
    if not out.exists():
        return result.save(out, report=report, **options)
    new, old = (out.with_name(f".{out.name}.{kind}-{os.getpid()}") for kind in ("new", "old"))
    result.save(new, report=report, **options)
    os.rename(out, old)
    os.rename(new, out)
    shutil.rmtree(old, ignore_errors=True)
    return sorted(out.iterdir())


def _show(result: Result, messages: list[str], paths: list[Path]) -> None:
    model, frame = result.model, result.frame("pyarrow").to_pydict()
    sizes: dict[int, list[float]] = {}
    for label, sure in zip(frame["cluster"], frame.get("confidence", [0.0] * len(frame["cluster"])), strict=True):
        sizes.setdefault(label, []).append(sure)
    has_confidence = "confidence" in frame
    rows = [
        (str(label), str(len(values)), *([f"{sum(values) / len(values):.3f}"] if has_confidence else []))
        for label, values in sorted(sizes.items())
    ]
    screen.table("Clusters", ("cluster", "samples", *(["mean confidence"] if has_confidence else [])), rows)
    weights = getattr(model, "view_weights_", None)
    named = zip(model.view_names_, model.view_widths_, strict=True)
    view_rows = [
        (name, str(width), *([] if weights is None else [f"{weights[v]:.3f}"])) for v, (name, width) in enumerate(named)
    ]
    screen.table("Views", ("view", "columns", *([] if weights is None else ["weight"])), view_rows)
    for message in messages:
        typer.echo(f"note: {message}", err=True)
    for note in getattr(result.views, "notes", ()):
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"{result.n_clusters} clusters of {len(model.labels_):,} samples in {result.seconds:.1f} s. Wrote")
    for path in paths:
        typer.echo(f"  {path}")
