import hashlib

import pytest

from manyview.bench import read_plan
from manyview.bench.cell import cell_key, cell_title, cells_of, method_label

CODE = {"manyview": "0.1.0", "source": "s"}


def test_the_key_is_the_digest_of_one_spelling():
    spelled = '{"a":[1,2.5,null,true,"ü"],"b":{}}'
    assert cell_key({"b": {}, "a": [1, 2.5, None, True, "ü"]}) == hashlib.sha256(spelled.encode()).hexdigest()


def test_the_key_does_not_depend_on_the_order_of_keys(inputs_with):
    inputs = inputs_with(method__params={"a": 1, "b": 2})
    turned = inputs_with(method__params={"b": 2, "a": 1})
    assert cell_key(inputs) == cell_key(dict(reversed(turned.items())))


@pytest.mark.parametrize(
    "change",
    [
        {"data__checksum": "abd"},
        {"data__params": {"n_samples": 61}},
        {"data__n_clusters": 4},
        {"method__estimator": "toys:Other"},
        {"method__params": {"wait": 1}},
        {"method__grid": {"wait": 1}},
        {"method__source": "edited"},
        {"method__concatenate": "z"},
        {"order": "as-stored"},
        {"seed": 1},
        {"threads": 2},
        {"code": {"manyview": "0", "source": "2"}},
    ],
)
def test_every_input_changes_the_key(inputs_with, change):
    assert cell_key(inputs_with(**change)) != cell_key(inputs_with())


def test_a_plan_expands_to_its_product_in_its_order(write_plan):
    plan = read_plan(
        write_plan("""
        seeds = 2
        orders = ["as-stored", "shuffled"]
        data = [
            "digits",
            {name = "m", maker = "make_views", params = {n_samples = 9, n_clusters = 3, random_state = 0}},
        ]
        methods = [
            {name = "a", estimator = "concat-kmeans-z", grid = {max_iter = [1, 2]}, orders = ["shuffled"]},
            {name = "b", estimator = "concat-kmeans-l2", seeds = [7], data = ["m"]},
        ]
        """)
    )
    assert [cell_title(cell.inputs) for cell in cells_of(plan, code=CODE)] == [
        "digits, a (max_iter=1), shuffled, seed 0",
        "digits, a (max_iter=1), shuffled, seed 1",
        "digits, a (max_iter=2), shuffled, seed 0",
        "digits, a (max_iter=2), shuffled, seed 1",
        "m, a (max_iter=1), shuffled, seed 0",
        "m, a (max_iter=1), shuffled, seed 1",
        "m, a (max_iter=2), shuffled, seed 0",
        "m, a (max_iter=2), shuffled, seed 1",
        "m, b, as-stored, seed 7",
        "m, b, shuffled, seed 7",
    ]
    assert len({cell.key for cell in cells_of(plan, code=CODE)}) == 10


def test_data_files_count_by_content_not_by_place(write_plan, tmp_path):
    plan = read_plan(write_plan('data = ["x.npz"]\nmethods = ["concat-kmeans-z"]'))

    def only_cell(**options):
        (cell,) = cells_of(plan, code=CODE, **options)
        return cell

    missing = only_cell()
    assert missing.absent == "data not present: x.npz"
    (tmp_path / "x.npz").write_bytes(b"one")
    beside = only_cell()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.npz").write_bytes(b"one")
    moved = only_cell(data_dir=elsewhere)
    (elsewhere / "x.npz").write_bytes(b"two")
    edited = only_cell(data_dir=elsewhere)
    assert (beside.absent, moved.file) == (None, str(elsewhere / "x.npz"))
    assert beside.key == moved.key
    assert len({missing.key, beside.key, edited.key}) == 3


def test_absent_names_and_makers_say_what_is_missing(write_plan):
    plan = read_plan(
        write_plan('data = ["nus", {name = "own", maker = "no_such_module:f"}]\nmethods = ["concat-kmeans-z"]')
    )
    assert [cell.absent for cell in cells_of(plan, code=CODE)] == [
        "data not present: nus is not registered, or its file is gone",
        "not installed: no_such_module",
    ]


def test_labels_of_grid_points():
    assert method_label("a", {}) == "a"
    assert method_label("a", {"q": 0.5, "p": "x"}) == "a (q=0.5, p=x)"
