import pytest

from manyview.bench import PlanError, read_plan
from manyview.bench.cell import cells_of
from manyview.bench.plan import Limits
from manyview.metrics import clustering_scores

BASE = {"data": '["digits"]', "methods": '["concat-kmeans-z"]'}


def text_of(**keys):
    return "\n".join(f"{key} = {value}" for key, value in {**BASE, **keys}.items())


def test_a_plan_without_options_has_the_documented_defaults(write_plan):
    plan = read_plan(write_plan(text_of(), "small.toml"))
    assert plan.name == "small"
    assert plan.seeds == (0,)
    assert plan.orders == ("shuffled",)
    assert plan.metrics == (*clustering_scores([0, 1], [0, 1]), "seconds")
    assert plan.limits == Limits(600.0, 4.0)
    assert plan.threads == 1


def test_everything_a_plan_can_say(write_plan, tmp_path):
    plan = read_plan(
        write_plan("""
        name = "all of it"
        seeds = [3, 5]
        orders = ["as-stored", "shuffled"]
        metrics = ["acc", "peak_mb"]
        threads = 2
        limits = {seconds = 5, memory_gb = 0.5}
        data = [
            "digits", "files/mnist4.npz",
            {name = "r", path = "reuters.mat", widths = [3, 4], n_clusters = 6},
            {name = "m", maker = "make_views", params = {n_samples = 30, n_clusters = 3, random_state = 0}},
        ]
        [[methods]]
        name = "sweep"
        estimator = "sklearn.cluster:KMeans"
        concatenate = "raw"
        params = {n_init = 1}
        grid = {max_iter = [1, 2], algorithm = ["lloyd", "elkan"]}
        record = ["inertia_"]
        seeds = 1
        orders = ["as-stored"]
        data = ["digits", "m"]
        """)
    )
    assert (plan.name, plan.seeds, plan.threads) == ("all of it", (3, 5), 2)
    assert plan.limits == Limits(5, 0.5)
    assert plan.folder == tmp_path
    digits, mnist, reuters, made = plan.data
    assert (digits.name, digits.path) == ("digits", None)
    assert (mnist.name, mnist.path) == ("mnist4", "files/mnist4.npz")
    assert (reuters.widths, reuters.n_clusters) == ((3, 4), 6)
    assert made.params == {"n_samples": 30, "n_clusters": 3, "random_state": 0}
    (sweep,) = plan.methods
    assert (sweep.seeds, sweep.orders, sweep.data) == ((0,), ("as-stored",), ("digits", "m"))
    assert list(sweep.points()) == [
        {"max_iter": 1, "algorithm": "lloyd"},
        {"max_iter": 1, "algorithm": "elkan"},
        {"max_iter": 2, "algorithm": "lloyd"},
        {"max_iter": 2, "algorithm": "elkan"},
    ]


def test_a_named_peer_keeps_its_parameters_unless_the_plan_says_otherwise(write_plan):
    methods = '["concat-spectral-l2", {name = "one start", estimator = "concat-kmeans-z", params = {n_init = 1}}]'
    spectral, kmeans = read_plan(write_plan(text_of(methods=methods))).methods
    assert spectral.params == {"affinity": "nearest_neighbors"}
    assert (spectral.estimator, spectral.concatenate) == ("sklearn.cluster:SpectralClustering", "l2")
    assert (kmeans.params, kmeans.concatenate) == ({"n_init": 1}, "z")


def test_a_deterministic_method_runs_once_on_rows_as_stored(write_plan):
    methods = '["concat-kmeans-z", {name = "exact", estimator = "concat-kmeans-z", deterministic = true}]'
    plan = read_plan(write_plan(text_of(methods=methods, seeds="[4, 7]", orders='["as-stored", "shuffled"]')))
    cells = [
        (cell.inputs["method"]["name"], cell.inputs["order"], cell.inputs["seed"]) for cell in cells_of(plan, code={})
    ]
    both = [("as-stored", 4), ("as-stored", 7), ("shuffled", 4), ("shuffled", 7)]
    assert cells == [("concat-kmeans-z", *at) for at in both] + [
        ("exact", *at) for at in both if at != ("as-stored", 7)
    ]


METHOD = '[{{name = "m", estimator = "sklearn.cluster:KMeans", {}}}]'
MANY_POINTS = f"grid = {{{', '.join(f'p{i} = {list(range(10))}' for i in range(10))}}}"
SOURCE = '[{{name = "d", {}}}]'


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"data": "[]"}, "data: is empty"),
        ({"data": '"digits"'}, "data: must be a list, not 'digits'"),
        ({"data": "[3]"}, r"data\[0\]: must be a name, a file or a table, not 3"),
        ({"data": '["digits", "digits"]'}, "data: 'digits' stands there twice"),
        ({"data": '[{path = "a.npz"}]'}, r"data\[0\]\.name: is missing"),
        ({"data": SOURCE.format('pth = "a.npz"')}, r"data\[0\]\.pth: unknown key; did you mean 'path'\?"),
        ({"data": SOURCE.format('path = "a", maker = "make_views"')}, r"data\[0\]: has both path and maker"),
        ({"data": SOURCE.format('path = "a", params = {x = 1}')}, r"data\[0\]\.params: only a maker"),
        ({"data": SOURCE.format('maker = "make_cake"')}, r"data\[0\]\.maker: .* no 'make_cake'"),
        ({"data": SOURCE.format('maker = "a-b:c"')}, r"data\[0\]\.maker: .* no 'a-b:c'"),
        ({"data": SOURCE.format('maker = "make_views"')}, r"data\[0\]\.params\.random_state: is missing"),
        ({"data": SOURCE.format("widths = [1]")}, r"data\[0\]\.widths: only a path"),
        ({"data": SOURCE.format('path = "a", widths = [0]')}, r"data\[0\]\.widths: must be a list of positive"),
        ({"data": SOURCE.format("n_clusters = 0")}, r"data\[0\]\.n_clusters: must be positive"),
        ({"methods": "[true]"}, r"methods\[0\]: must be an estimator or a table, not True"),
        ({"methods": '["concat-kmean-z"]'}, r"methods\[0\]: unknown .* did you mean 'concat-kmeans-z'\?"),
        ({"methods": '["zzz"]'}, r"methods\[0\]: unknown estimator 'zzz'; known are .*concat-kmeans-l2"),
        ({"methods": '["GMC", "GMC"]'}, "methods: 'GMC' stands there twice"),
        ({"methods": METHOD.format("grid = {p = 0.5}")}, r"methods\[0\]\.grid\.p: must be a non-empty list, not 0.5"),
        ({"methods": METHOD.format("grid = {p = []}")}, r"methods\[0\]\.grid\.p: must be a non-empty list"),
        ({"methods": METHOD.format("grid = {p = [1, 1]}")}, r"methods\[0\]\.grid\.p: 1 stands there twice"),
        ({"methods": METHOD.format("params = {p = 1}, grid = {p = [2]}")}, r"methods\[0\]\.grid\.p: is also in params"),
        ({"methods": METHOD.format("params = {p = [1, inf]}")}, r"methods\[0\]\.params\.p\[1\]: must be finite"),
        (
            {"methods": METHOD.format("params = {p = 2020-01-01}")},
            r"methods\[0\]\.params\.p: must be a string, .* not date",
        ),
        ({"methods": METHOD.format('concatenate = "zz"')}, r"methods\[0\]\.concatenate: 'zz' is none of raw, z, l2"),
        ({"methods": METHOD.format('data = ["digit"]')}, r"methods\[0\]\.data: 'digit' is none .* mean 'digits'"),
        ({"methods": METHOD.format("record = [1]")}, r"methods\[0\]\.record: must be a list of strings"),
        ({"methods": METHOD.format('orders = ["sorted"]')}, r"methods\[0\]\.orders: 'sorted' is none of as-stored"),
        ({"methods": METHOD.format("deterministic = 1")}, r"methods\[0\]\.deterministic: must be true or false, not 1"),
        ({"seeds": "0"}, "seeds: must be a positive count"),
        ({"seeds": "true"}, "seeds: must be a positive count"),
        ({"seeds": "[-1]"}, "seeds: must be a positive count"),
        ({"seeds": "[1, 1]"}, "seeds: 1 stands there twice"),
        ({"seeds": "4000000000"}, "seeds: must be at most 10000, not 4000000000; name single seeds"),
        (
            {"methods": METHOD.format("params = {p = " + "[" * 40 + "]" * 40 + "}")},
            "methods: is nested more than 32 levels",
        ),
        ({"methods": METHOD.format(MANY_POINTS)}, r"methods: make 10{10} cells, more than 1000000; name fewer"),
        ({"orders": "[]"}, "orders: is empty"),
        ({"metrics": '["ac"]'}, "metrics: 'ac' is none of acc, .*; did you mean 'acc'?"),
        ({"threads": "0"}, "threads: must be positive"),
        ({"threads": "1.5"}, "threads: must be an integer"),
        ({"limits": "{seconds = inf}"}, "limits.seconds: must be positive and finite"),
        ({"limits": '{seconds = "1"}'}, "limits.seconds: must be a number"),
        ({"limits": "{memory = 1}"}, "limits.memory: unknown key; did you mean 'memory_gb'?"),
        ({"sedes": "1"}, "sedes: unknown key; did you mean 'seeds'?"),
    ],
)
def test_errors_name_the_file_the_key_and_the_way_out(write_plan, keys, message):
    with pytest.raises(PlanError, match=f"^bad.toml: {message}"):
        read_plan(write_plan(text_of(**keys), "bad.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = " + "[" * 100_000, "(nested too deeply|not TOML)"),
        ("[" + "a." * 5_000 + "a]", "a: is nested more than 32 levels deep"),
        ("seeds = 1" + "0" * 5_000, "not TOML"),
    ],
    ids=["lists", "tables", "digits"],
)
def test_hostile_toml_is_one_error(write_plan, text, message):
    with pytest.raises(PlanError, match=rf"^bad\.toml: .*{message}"):
        read_plan(write_plan(text, "bad.toml"))


def test_many_seeds_are_read_at_once(write_plan):
    assert read_plan(write_plan(text_of(seeds="10000"))).seeds == tuple(range(10_000))


def test_a_file_that_is_not_toml_or_not_there(write_plan, tmp_path):
    with pytest.raises(PlanError, match=r"bad\.toml: not TOML: .*line 2"):
        read_plan(write_plan("seeds = 1\nseeds = 2\n", "bad.toml"))
    with pytest.raises(PlanError, match="there is no such plan"):
        read_plan(tmp_path / "none.toml")
