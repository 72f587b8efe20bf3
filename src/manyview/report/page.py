"""The report as one HTML file that needs nothing else: styles and images are inside, no script, no network."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from manyview.report.figures import convergence_png, image_png
from manyview.report.libraries import load
from manyview.report.summary import SCORE_NAMES, ClusterRow, Summary

TEMPLATE = Path(__file__).with_name("page.html")


def render(summary: Summary, /) -> str:
    """Turn a summary into a page.

    Parameters
    ----------
    summary : Summary
        From `summarize`.

    Returns
    -------
    str
        A complete HTML document.

    Examples
    --------
    >>> from manyview import SemiNTF
    >>> from manyview.datasets import make_views
    >>> from manyview.report import render, summarize
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = SemiNTF(n_clusters=3, random_state=0).fit(data.views)
    >>> render(summarize(model, name="three groups")).splitlines()[0]
    '<!doctype html>'
    """
    return page_around(convergence_png(summary["convergence"]), summary)


def page_around(figure: bytes, summary: Summary, /) -> str:
    """The page with a convergence figure that is drawn already."""
    environment = load("jinja2").Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=load("jinja2").StrictUndefined
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    page: str = template.render(
        **summary,
        score_names=SCORE_NAMES,
        convergence_image=_embedded(figure),
        cluster_images=_images(summary["clusters"]),
        bars=_bars(summary),
    )
    return page


def _embedded(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _images(clusters: list[ClusterRow]) -> list[str]:
    images = [cluster["image"] for cluster in clusters if cluster["image"] is not None]
    largest = max((value for image in images for row in image for value in row), default=1.0) or 1.0
    return [_embedded(image_png(image, largest=largest)) for image in images]


def _bars(summary: Summary) -> list[dict[str, Any]]:
    """The histogram of confidence in per cent of its highest bar."""
    confidence = summary["confidence"]
    highest = max(confidence["counts"])
    right = confidence["right"] or confidence["counts"]
    edges = confidence["edges"]
    return [
        {"low": low, "high": high, "count": count, "right": ok, "height": 100 * count / highest}
        for low, high, count, ok in zip(edges, edges[1:], confidence["counts"], right, strict=False)
    ]
