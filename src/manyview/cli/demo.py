"""``manyview demo``: the embedded digits from views to a report, in a few seconds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from manyview import AnchorGraphClustering, Views, report
from manyview.cli import screen
from manyview.cli.places import require_labels
from manyview.cli.tables import show
from manyview.datasets import load_digits_views
from manyview.io import write_labels


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; made if needed.")] = Path("manyview-demo"),
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the row shuffle and of the method.")] = 0,
) -> None:
    """Cluster handwritten digits, seen in four ways, and write labels and a report."""
    report.require_libraries()
    with screen.explained("cannot run the demo"):  # better now than after the work
        require_labels(out / "labels.csv", force=True)
    data = load_digits_views()
    ids = np.random.default_rng(seed).permutation(data.n_samples)  # row of every sample in load_digits
    views = Views(list(data.views.values()), list(data.views), ids=np.arange(data.n_samples))[ids]
    typer.echo(f"{data.n_samples} digits in {data.n_views} views, rows shuffled with seed {seed}; labels are not used.")
    start = time.perf_counter()
    with screen.stages() as stages:
        model = AnchorGraphClustering(n_clusters=data.n_clusters, random_state=seed, verbose=stages).fit(views)
    seconds = time.perf_counter() - start
    images = data.views["pixels"].reshape(-1, 8, 8)
    name = f"digits, rows shuffled with seed {seed}"
    summary = report.summarize(
        model,
        views,
        name=name,
        y_true=np.asarray(data.labels)[ids],
        images=images[ids],
        seconds=seconds,
    )
    show(summary)
    order = np.argsort(ids)
    with screen.explained("cannot run the demo"):
        labels = write_labels(
            out / "labels.csv", ids=ids[order], labels=model.labels_[order], confidence=model.confidence_[order]
        )
        files = [labels, *report.write_report(summary, out)]
    typer.echo("Wrote")
    for path in files:
        typer.echo(f"  {path}")
    typer.echo(f"Open {files[-1]} in a browser.")
