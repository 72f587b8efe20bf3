"""Write a report of the digits beside the pages, so that readers can try one."""

from __future__ import annotations

import numpy as np
from sphinx.application import Sphinx

from manyview import AnchorGraphClustering, Views
from manyview.datasets import load_digits_views

FOLDER = "_sample"  # in html_extra_path, so that its content is copied to the root of the site


def write(app: Sphinx) -> None:
    """Fit the digits and write the report, unless it is there."""
    page = app.srcdir / FOLDER / "sample-report.html"
    if page.exists():
        return
    data = load_digits_views()
    rows = np.random.default_rng(0).permutation(data.n_samples)
    views = Views(list(data.views.values()), list(data.views), ids=np.arange(data.n_samples))[rows]
    images = data.views["pixels"].reshape(-1, 8, 8)[rows]
    model = AnchorGraphClustering(n_clusters="auto", random_state=1).fit(views)
    model.report(views, page, name="digits", images=images, metadata={"digit": np.asarray(data.labels)[rows]})


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the report before pages are read."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
