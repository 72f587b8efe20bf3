"""The report as one HTML file that needs nothing else: style, script, data and images are inside, no network.

The Content-Security-Policy allows this one script and this one style sheet, by their hashes, and nothing from
elsewhere. What comes from the data reaches the page through Jinja's escaping, or as JSON that the script puts into
text nodes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from pathlib import Path
from typing import Any

from manyview.report.charts import Chart, line_chart
from manyview.report.libraries import load
from manyview.report.palette import cluster_colors
from manyview.report.png import gray_png
from manyview.report.summary import Summary
from manyview.report.summary.convergence import Convergence
from manyview.report.summary.enrichment import Finding
from manyview.report.summary.scores import SCORE_NAMES
from manyview.report.summary.views import ViewsByCluster

HERE = Path(__file__).parent
MAX_NAMED = 40  # clusters side by side that all have their name on top
SCRIPTS = (
    "data.js", "colors.js", "camera.js", "webgl.js", "canvas.js", "picking.js", "table.js",
    "pointer.js", "map.js", "main.js",
)  # fmt: skip


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
    >>> from manyview import AnchorGraphClustering
    >>> from manyview.datasets import make_views
    >>> from manyview.report import render, summarize
    >>> data = make_views(n_samples=90, n_clusters=3, random_state=0)
    >>> model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(data.views)
    >>> render(summarize(model, data.views, name="three groups")).splitlines()[0]
    '<!doctype html>'
    """
    jinja2 = load("jinja2")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "effect": _effect, "odds": _odds, "p": _p_value, "bytes": _bytes, "diverging": _diverging, "shade": _shade,
        "crowded": _crowded,
    }  # fmt: skip
    script = _script()
    style = (HERE / "assets" / "page.css").read_text(encoding="utf-8") + _swatches(summary["colors"])
    page: str = environment.from_string((HERE / "assets" / "page.html").read_text(encoding="utf-8")).render(
        s=summary,
        policy=_policy(script, style),
        script=script,
        style=style,
        samples=safe_json(_samples(summary)),
        score_names=SCORE_NAMES,
        images=_images(summary),
        max_cards=24,  # the others unfold
        max_findings=60,
        max_named=MAX_NAMED,
        heatmap_columns=_heatmap_columns(summary),
        dissent=_most(summary["dissent_by_cluster"]),
        missing=_most(summary["missing_by_cluster"]),
        findings_of=_findings_by_cluster(summary),
        selection_chart=_selection_chart(summary),
        convergence_charts=_convergence_charts(summary["convergence"]),
    )
    return page


def safe_json(value: Any, /) -> str:
    """Write JSON that neither ends a script element nor opens a comment; numbers that JSON lacks become null."""
    text = json.dumps(finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def finite(value: Any, /) -> Any:
    """Return plain data with None for numbers that JSON lacks."""
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _script() -> str:
    parts = [(HERE / "assets" / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_sha256(script)}'; style-src '{_sha256(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _samples(summary: Summary) -> dict[str, Any]:
    """Return the data of the script."""
    widest = max((len(c["names"]) for c in summary["map"]["columns"] if c["kind"] == "category"), default=0)
    return {
        "name": summary["name"],
        "colors": summary["colors"],
        "category_colors": cluster_colors(widest),
        "mapped": summary["mapped"],
        "map": summary["map"],
    }


def _swatches(colors: list[str]) -> str:
    """Write one CSS class per cluster, because the page's policy forbids style attributes."""
    return "".join(f".c{k}{{--own:{color}}}" for k, color in enumerate(colors))


def _images(summary: Summary) -> list[str]:
    images = [cluster["image"] for cluster in summary["clusters"] if cluster["image"] is not None]
    largest = max((value for image in images for row in image for value in row), default=1.0) or 1.0
    return [
        "data:image/png;base64," + base64.b64encode(gray_png(image, largest=largest)).decode("ascii")
        for image in images
    ]


def _findings_by_cluster(summary: Summary) -> dict[int, list[Finding]]:
    found: dict[int, list[Finding]] = {cluster["label"]: [] for cluster in summary["clusters"]}
    for finding in [] if summary["enrichment"] is None else summary["enrichment"]["findings"]:
        if finding["category"] is None or finding["effect"] > 1:
            found[finding["cluster"]].append(finding)
    return found


def _heatmap_columns(summary: Summary) -> list[range]:
    """Arrange features in up to three tables side by side: with few clusters one table would be long and narrow."""
    if summary["heatmap"] is None:
        return []
    K, F = len(summary["heatmap"]["clusters"]), len(summary["heatmap"]["features"])
    longest = max(len(name) for name in summary["heatmap"]["features"])
    n = 1 if K > 8 or F < 12 else 2 if K > 4 or longest > 16 else 3
    step = -(-F // n)
    return [range(start, min(start + step, F)) for start in range(0, F, step)]


def _most(table: ViewsByCluster | None, most: int = 24) -> ViewsByCluster | None:
    """Keep the clusters with the largest shares where there are many, in their order."""
    if table is None or len(table["clusters"]) <= most:
        return table
    largest = [-max((share or 0.0) for share in shares) for shares in table["shares"]]
    kept = sorted(sorted(range(len(largest)), key=largest.__getitem__)[:most])
    return ViewsByCluster(
        clusters=[table["clusters"][k] for k in kept],
        names=table["names"],
        shares=[table["shares"][k] for k in kept],
    )


def _selection_chart(summary: Summary) -> Chart | None:
    chosen = summary["selection"]
    if chosen is None or len(chosen["curve"]) < 2:
        return None
    curve = chosen["curve"]
    K = [point["n_clusters"] for point in curve]
    scores, errors = [point["score"] for point in curve], [point["error"] for point in curve]
    stability = [point["stability"] for point in curve]
    return line_chart(K, [("score", scores, errors), ("stability", stability, None)], marked=chosen["n_clusters"])


def _convergence_charts(course: Convergence | None) -> list[Chart]:
    if course is None:
        return []
    charts = []
    residuals = [one for one in course["series"] if one["residual"]]
    if residuals:
        n = len(residuals[0]["values"])
        lines = [(one["title"], one["values"], None) for one in residuals if len(one["values"]) == n]
        charts.append(line_chart(range(1, n + 1), lines, log=True, limit=course["limit"]))
    charts += [
        line_chart(range(1, len(one["values"]) + 1), [(one["title"], one["values"], None)])
        for one in course["series"]
        if not one["residual"]
    ]
    return charts


def _effect(value: float) -> str:
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}".replace("-", "−")


def _odds(value: float) -> str:
    most = 1_000.0  # beyond, a number says no more than "very"
    if value > most:
        return f"odds > {most:,.0f}"
    return f"odds {value:.3g}" if value >= 1 / most else f"odds < 1/{most:,.0f}"


def _p_value(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-16 else "< 1e-16"


def _bytes(value: int) -> str:
    return f"{value / 2**30:.1f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def _diverging(value: float, largest: float = 3.0) -> str:
    """Return the CSS class of an effect, from n5 (far below) over z to p5 (far above)."""
    step = min(round(5 * abs(value) / largest), 5)
    return "z" if step == 0 else f"{'p' if value > 0 else 'n'}{step}"


def _crowded(n_clusters: int) -> str:
    """Return further CSS classes of a table with that many columns."""
    return "" if n_clusters <= 16 else " dense" if n_clusters <= MAX_NAMED else " dense tiny"


def _shade(share: float) -> str:
    """Return the CSS class of a share, q0 to q9."""
    return f"q{min(max(round(9 * share), 0), 9)}"
