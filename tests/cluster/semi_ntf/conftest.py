"""What a factorization starts from."""

import pytest

from manyview import SemiNTF
from manyview.cluster.anchor_graph.stages import build_graphs_for_k, label_by_consensus, running_fit
from manyview.datasets import make_views
from recipes import QUICK


@pytest.fixture(scope="session")
def prepared():
    """Context and consensus of a fit of 150 rows with three clusters, inside the running engine."""
    views = list(make_views(150, 3, widths=(6, 9), separation=3.0, random_state=0).views.values())
    model = SemiNTF(3, n_anchors=30, block_rows=40, recipe=QUICK, random_state=0, n_jobs=1)
    with running_fit(model, views) as (checked, context):
        draw, context, _ = build_graphs_for_k(model, checked, context)
        yield context, label_by_consensus(checked, draw, context)
