"""One fit in memory and from disk: the same bits, whatever the variant; and which engine the input asks for."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from manyview import AnchorGraphClustering, NoiseViewWarning, SemiNTF
from manyview.cluster.anchor_graph.context import chosen_engine
from manyview.datasets import make_views
from manyview.views import check_views
from recipes import MANY, QUICK, SAMPLED
from watching import blas_threads, is_mapped

N, K = 400, 4
SMALL = {"n_anchors": 40, "block_rows": 60, "recipe": QUICK, "random_state": 0, "n_jobs": 2}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def arrays():
    data = make_views(N, K, widths=(6, 9, 4), separation=2.0, random_state=0)
    return [view.astype(np.float32) for view in data.views.values()]


@pytest.fixture(scope="module")
def files(arrays, tmp_path_factory):
    """The views as a .npy file, a Parquet file and a folder of Parquet files."""
    path = tmp_path_factory.mktemp("views")
    np.save(path / "0.npy", arrays[0])
    pq.write_table(table_of(arrays[1]), path / "1.parquet", row_group_size=90)
    (path / "2").mkdir()
    for part, start in enumerate(range(0, N, 35)):
        pq.write_table(table_of(arrays[2][start : start + 35]), path / "2" / f"part.{part}.parquet")
    return [path / "0.npy", path / "1.parquet", path / "2"]


def table_of(array):
    return pa.table({f"c{j}": array[:, j] for j in range(array.shape[1])})


RESULTS = ("labels_", "membership_", "embedding_", "confidence_", "views_disagree_", "view_weights_", "view_agreement_")
FACTORS = ("indicator_", "factors_", "n_iter_", "converged_")


def assert_same_fit(first, second):
    for name in RESULTS + (FACTORS if isinstance(first, SemiNTF) else ()):
        assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    for name, values in getattr(first, "history_", {}).items():
        assert_array_equal(values, second.history_[name])


@pytest.mark.parametrize(
    "method, changes",
    [
        (AnchorGraphClustering, {}),
        (AnchorGraphClustering, {"dtype": "float32"}),
        (AnchorGraphClustering, {"n_jobs": 1, "block_rows": 7}),
        (AnchorGraphClustering, {"block_rows": 1000}),
        (AnchorGraphClustering, {"scale": "standard", "anchors": "das"}),
        (AnchorGraphClustering, {"anchors": "variance"}),
        (AnchorGraphClustering, {"recipe": SAMPLED}),
        (AnchorGraphClustering, {"recipe": MANY}),
        (SemiNTF, {"max_iter": 5}),
        (SemiNTF, {"coupling": "clusters", "max_iter": 5}),
        (SemiNTF, {"coupling": "views", "view_transform": "dft", "dtype": "float32", "max_iter": 5}),
        (SemiNTF, {"start": "random", "max_iter": 5}),
        (SemiNTF, {"start": "spectral", "max_iter": 5, "recipe": SAMPLED}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else " ".join(value),
)
def test_disk_and_memory_give_the_same_bits(arrays, files, tmp_path, method, changes):
    parameters = SMALL | changes
    memory = method(K, **parameters).fit(arrays)
    disk = method(K, **parameters, scratch=tmp_path).fit(files)
    assert_same_fit(memory, disk)
    assert is_mapped(disk.membership_)
    assert is_mapped(disk.embedding_)
    assert memory.embedding_.shape == (N, K)
    assert_allclose(np.linalg.norm(disk.embedding_, axis=1), 1, rtol=1e-5)
    assert isinstance(disk.labels_, np.ndarray)
    assert_array_equal(disk.predict(files), memory.predict(arrays))
    assert_array_equal(disk.transform(files), memory.transform(arrays))
    assert_array_equal(disk.predict([array[:5] for array in arrays]), memory.predict(arrays)[:5])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore::manyview.RowOrderWarning")
@pytest.mark.parametrize("axis", ["views", "samples"])
def test_paper_gives_the_same_bits(arrays, files, axis):
    parameters = {"block_rows": 60, "random_state": 0, "n_anchors": 24, "max_iter": 10, "axis": axis}
    memory, disk = (SemiNTF.paper(K, **parameters).fit(views) for views in (arrays, files))
    assert_same_fit(memory, disk)
    assert is_mapped(disk.indicator_)


def test_sparse_views_in_memory_give_the_same_bits_on_disk(arrays):
    rng = np.random.default_rng(0)
    words = [sp.csr_array(rng.poisson(0.05, (N, 50)).astype(float)) for _ in range(2)]
    with pytest.warns(NoiseViewWarning, match="view 'view 0'"):  # such words are noise: the graph is built twice
        memory, disk = (
            AnchorGraphClustering(K, **SMALL, engine=engine).fit([*words, arrays[0]]) for engine in ("memory", "disk")
        )
    assert memory.views_left_out_ == disk.views_left_out_ == ["view 0", "view 1"]
    assert_same_fit(memory, disk)


def test_one_table_on_disk_is_divided_into_views(arrays, tmp_path):
    whole = np.hstack(arrays)
    np.save(tmp_path / "all.npy", whole)
    parameters = SMALL | {"views": [6, 9, 4]}
    memory = AnchorGraphClustering(K, **parameters).fit(whole)
    for source in (tmp_path / "all.npy", np.load(tmp_path / "all.npy", mmap_mode="r")):
        disk = AnchorGraphClustering(K, **parameters).fit(source)
        assert is_mapped(disk.membership_)
        assert_same_fit(memory, disk)


def test_memory_layout_of_input_does_not_matter(arrays):
    expected = AnchorGraphClustering(K, **SMALL).fit(arrays)
    assert_same_fit(expected, AnchorGraphClustering(K, **SMALL).fit([np.asfortranarray(array) for array in arrays]))


def test_files_can_be_read_into_memory(files, arrays):
    model = AnchorGraphClustering(K, **SMALL, engine="memory").fit(files)
    assert not is_mapped(model.membership_)
    assert_same_fit(model, AnchorGraphClustering(K, **SMALL).fit(arrays))


def test_engine_follows_the_input(arrays, files):
    def auto(X):
        return chosen_engine("auto", check_views(X, lazy=True))

    assert auto(arrays) == "memory"
    assert auto(np.hstack(arrays)) == "memory"
    assert auto([arrays[0], files[1]]) == "disk"
    assert auto(np.load(files[0], mmap_mode="r")) == "disk"
    assert auto([np.load(files[0], mmap_mode="r"), arrays[1]]) == "disk"
    assert auto(ds.dataset(files[1])) == "disk"
    assert chosen_engine("memory", check_views(files, lazy=True)) == "memory"


def test_active_client_takes_files_to_the_cluster(monkeypatch, arrays, files):
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(get_client=lambda: "a client"))
    assert chosen_engine("auto", check_views(files, lazy=True)) == "dask"
    assert chosen_engine("auto", check_views(arrays, lazy=True)) == "memory"


def test_bad_numbers_on_disk_are_named(arrays, tmp_path):
    spoilt = arrays[1].copy()
    spoilt[333, 2] = np.nan
    np.save(tmp_path / "text.npy", spoilt)
    with pytest.raises(ValueError, match=r"View 'text' contains NaN or infinity, first in row 333\."):
        AnchorGraphClustering(K, **SMALL).fit({"image": arrays[0], "text": tmp_path / "text.npy"})


@pytest.mark.parametrize("name, value", [("engine", "cloud"), ("scratch", 3), ("scratch", "/no/such/folder")])
def test_parameters_are_checked(arrays, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        AnchorGraphClustering(K, **{name: value}).fit(arrays)


def test_half_precision_is_the_same_numbers_in_memory_and_in_a_file(arrays, tmp_path):
    halves = [array.astype(np.float16) for array in arrays]
    for v, array in enumerate(halves):
        np.save(tmp_path / f"{v}.npy", array)
    on_disk = AnchorGraphClustering(K, **SMALL).fit([tmp_path / f"{v}.npy" for v in range(3)])
    assert_same_fit(AnchorGraphClustering(K, **SMALL).fit(halves), on_disk)


def test_models_from_disk_can_be_sent_to_processes(arrays, files):
    model = AnchorGraphClustering(K, **SMALL).fit(files)
    with joblib.parallel_config("loky"):
        predicted, fitted = joblib.Parallel(n_jobs=2)(
            [joblib.delayed(model.predict)(arrays), joblib.delayed(AnchorGraphClustering(K, **SMALL).fit)(files)]
        )
    assert_array_equal(predicted, model.labels_)
    assert_same_fit(model, fitted)


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_failed_fit_leaves_the_model_unchanged(arrays, tmp_path, engine):
    model = AnchorGraphClustering(K, **SMALL, engine=engine).fit(arrays)
    expected = model.predict(arrays)
    spoilt = arrays[0].copy()
    spoilt[17, 2] = np.nan
    np.save(tmp_path / "bad.npy", spoilt)
    with pytest.raises(ValueError, match="first in row 17"):
        model.fit([tmp_path / "bad.npy", arrays[1]])
    with pytest.raises(ValueError, match="first in row 17"):
        model.partial_fit([tmp_path / "bad.npy", *arrays[1:]])
    assert_array_equal(model.predict(arrays), expected)
    assert len(model.view_names_) == 3


def test_concurrent_fits_change_neither_bits_nor_threads(arrays):
    """A short one ends while a long one goes on; who is last gives BLAS its threads back."""
    alone = AnchorGraphClustering(K, **SMALL).fit(arrays)
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = blas_threads()
        running, long_enough = threading.Event(), threading.Event()

        def wait(stage, done, total):
            running.set()
            if stage == "labels":
                assert long_enough.wait(60)

        waiting = pool.submit(AnchorGraphClustering(K, **SMALL, verbose=wait).fit, arrays)
        assert running.wait(60)
        pool.submit(AnchorGraphClustering(2, **SMALL).fit, [array[:60] for array in arrays]).result()
        inside = blas_threads()
        long_enough.set()
        assert_same_fit(alone, waiting.result())
        assert inside <= {1}
        assert blas_threads() == before
