"""Every row of the table in docs/input.md says what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

from containers import IDS, MAKERS
from manyview import AnchorGraphClustering, Views
from manyview.datasets import make_views

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "input.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.+?) \| ((?:yes|no) \| (?:yes|no) \| \w+) \|$", PAGE, flags=re.MULTILINE))
NEEDS = {"pandas": "pandas", "polars": "polars", "Arrow": "pyarrow", "AnnData": "anndata", "MuData": "mudata"}
NAMES = {"ndarray": "array"}


@pytest.fixture(scope="module")
def tables():
    data = make_views(n_samples=80, n_clusters=3, widths=(6, 8), random_state=0)
    first, second = data.views.values()
    second[3] = np.nan
    return {"first": first, "second": second}


def test_table_has_a_row_for_every_container():
    assert set(ROWS) == set(MAKERS)


@pytest.mark.parametrize("container", MAKERS)
def test_container_does_what_the_table_says(container, tables, tmp_path):
    for word, library in NEEDS.items():
        if word in container:
            pytest.importorskip(library)
    given = MAKERS[container](tables, IDS, tmp_path)
    if container in ("polars DataFrames", "Arrow tables"):
        given = Views.from_tables(given, id_column="id")
    model = AnchorGraphClustering(n_clusters=3, random_state=0).fit(given)
    predicted = model.predict(given)
    kind = type(predicted).__name__
    ids, missing, returned = ROWS[container].split(" | ")
    assert ids == ("no" if model.sample_ids_ is None else "yes")
    assert missing == "yes"
    assert 0 <= model.labels_[3] < 3
    assert returned == NAMES.get(kind, kind)
    assert len(predicted) == len(model.labels_) == len(IDS)
