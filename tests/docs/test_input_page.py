"""Every cell of the table in docs/input.md says what happens, and every container gives the same clusters by id."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from containers import IDS, MAKERS, OPTIONS, OWN_ORDER
from manyview import AnchorGraphClustering, Views
from manyview.datasets import make_views

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "input.md").read_text(encoding="utf-8")
TABLE = re.search(r"^\| container \|.*?\n\n", PAGE, flags=re.MULTILINE | re.DOTALL)[0].strip().splitlines()
HEAD, _, *LINES = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in TABLE]
ROWS = {row[0]: dict(zip(HEAD[1:], row[1:], strict=True)) for row in LINES}
NEEDS = {
    **{"pandas": "pandas", "polars": "polars", "Arrow": "pyarrow", "AnnData": "anndata", "MuData": "mudata"},
    **{"PyTorch": "torch", "files": "pyarrow"},
}
NAMES = {"ndarray": "array"}
EXAMPLES = settings(deadline=None, max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def tables():
    return dict(zip(("first", "second"), make_views(80, 3, widths=(6, 8), random_state=0).views.values(), strict=True))


@pytest.fixture(scope="module")
def clusters(tables):
    return partition(AnchorGraphClustering(3, random_state=0).fit(tables).labels_, IDS)


def made(container, tables, folder, ids=None):
    """Views of a container, with its ids where they have to be named."""
    for word, library in NEEDS.items():
        if word in container:
            pytest.importorskip(library)
    views = MAKERS[container](tables, ids or dict.fromkeys(tables, IDS), folder)
    return Views.from_tables(views, **OPTIONS[container]) if container in OPTIONS else views


def partition(labels, ids):
    """The sets of ids that are together."""
    labels = np.asarray(labels)
    return {frozenset(np.asarray(ids)[labels == label].tolist()) for label in np.unique(labels)}


def test_table_has_a_row_for_every_container():
    assert set(ROWS) == set(MAKERS)
    assert HEAD[1:] == ["`fit`", "`predict`", "ids are kept", "a sample may lack a view", "`predict` returns"]


@pytest.mark.parametrize("column", HEAD[1:])
@pytest.mark.parametrize("container", MAKERS)
def test_cell_says_what_happens(container, column, tables, clusters, tmp_path):
    lacking = {name: table.copy() for name, table in tables.items()}
    if "lack" in column:
        lacking["second"][3] = np.nan
    given = made(container, lacking, tmp_path)
    model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(given)
    kind = type(model.predict(given)).__name__
    found = {
        "`fit`": lambda: partition(model.labels_, IDS) == clusters,
        "`predict`": lambda: partition(np.asarray(labels_of(model.predict(given))), IDS) == clusters,
        "ids are kept": lambda: model.sample_ids_ is not None and model.sample_ids_.tolist() == IDS.tolist(),
        "a sample may lack a view": lambda: 0 <= model.labels_[3] < 3,
        "`predict` returns": lambda: NAMES.get(kind, kind),
    }[column]()
    assert {True: "yes", False: "no"}.get(found, found) == ROWS[container][column]


def labels_of(predicted):
    """The labels alone, of a table with ids."""
    column = "cluster" in getattr(predicted, "column_names", getattr(predicted, "columns", ()))
    return predicted["cluster"] if column else predicted


@pytest.mark.parametrize("container", MAKERS)
@EXAMPLES
@given(data=st.data())
def test_any_order_of_rows_and_keys_gives_the_same_clusters(container, tables, clusters, tmp_path_factory, data):
    orders = {name: data.draw(st.permutations(range(len(IDS)))) for name in data.draw(st.permutations(list(tables)))}
    if container not in OWN_ORDER:  # its views share one order of rows
        orders = dict.fromkeys(orders, next(iter(orders.values())))
    shuffled = {name: tables[name][order] for name, order in orders.items()}
    ids = {name: IDS[order] for name, order in orders.items()}
    views = made(container, shuffled, tmp_path_factory.mktemp("order"), ids)
    model = AnchorGraphClustering(3, random_state=0).fit(views)
    known = next(iter(ids.values())) if model.sample_ids_ is None else model.sample_ids_
    assert partition(model.labels_, known) == clusters
