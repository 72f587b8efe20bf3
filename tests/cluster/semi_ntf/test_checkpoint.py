"""A fit that is killed and called again ends with the same bits; whatever goes wrong, the last checkpoint is whole."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from manyview import SemiNTF
from manyview.cluster.semi_ntf import checkpoint as module
from manyview.datasets import make_views

N, K = 400, 4
SETTINGS = {"n_anchors": 40, "block_rows": 60, "random_state": 0, "n_jobs": 1, "max_iter": 9, "tol": 0.0}
COUPLED = {"coupling": "clusters", "dtype": "float32"}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PROGRAM = """
import json, os, signal, sys, warnings
import numpy as np
from manyview import SemiNTF

warnings.simplefilter("ignore")
folder, settings, moment, count = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4])
calls = 0

def die(*_):
    global calls
    calls += 1
    if calls == count:
        os.kill(os.getpid(), signal.SIGKILL)

def after_iteration(stage, done, total):
    if stage == "factorization" and done and moment == "iteration":
        die()

for name in ("replace", "fsync"):
    if moment == name:
        genuine = getattr(os, name)
        setattr(os, name, lambda *a, genuine=genuine: (die(), genuine(*a))[1])
views = [os.path.join(folder, f"{v}.npy") for v in range(2)]
model = SemiNTF(4, verbose=after_iteration, **settings).fit(
    views, checkpoint=os.path.join(folder, "kept"), checkpoint_every=2
)
"""


@pytest.fixture(scope="module")
def arrays():
    data = make_views(N, K, widths=(6, 9), separation=1.5, random_state=0)
    return [view.astype(np.float32) for view in data.views.values()]


@pytest.fixture
def folder(arrays, tmp_path):
    for v, array in enumerate(arrays):
        np.save(tmp_path / f"{v}.npy", array)
    return tmp_path


def fit(X, kept=None, every=2, **changes):
    return SemiNTF(K, **(SETTINGS | changes)).fit(X, checkpoint=kept, checkpoint_every=every)


def killed(folder, moment, count, **changes):
    """Run a fit that kills itself without warning."""
    command = [sys.executable, "-c", PROGRAM, str(folder), json.dumps(SETTINGS | changes), moment, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr


def paths(folder):
    return [folder / "0.npy", folder / "1.npy"]


def iteration_kept(kept):
    return module._read_commit(Path(kept) / "checkpoint.npz").loop.iteration


def assert_same_fit(first, second):
    for name in ("labels_", "membership_", "indicator_", "factors_", "view_weights_"):
        assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    for name, values in first.history_.items():
        assert_array_equal(values, second.history_[name])
    assert first.n_iter_ == second.n_iter_ == SETTINGS["max_iter"]


@pytest.mark.parametrize(
    "moment, count, engine, changes, kept",
    [
        ("iteration", 5, "disk", {}, 4),
        ("replace", 3, "memory", COUPLED, 4),  # the rows of iteration 6 are written, the rename does not happen
        ("fsync", 4, "disk", {"n_jobs": 2}, 2),  # in the middle of the second checkpoint
    ],
)
def test_killed_and_started_again_a_fit_ends_with_the_same_bits(arrays, folder, moment, count, engine, changes, kept):
    killed(folder, moment, count, engine=engine, **changes)
    assert iteration_kept(folder / "kept") == kept
    seen = []
    again = SemiNTF(
        K, **(SETTINGS | changes), engine=engine, verbose=lambda stage, done, total: seen.append((stage, done))
    ).fit(paths(folder), checkpoint=folder / "kept", checkpoint_every=2)
    assert [done for stage, done in seen if stage == "factorization" and done] == list(range(kept + 1, 10))
    assert_same_fit(fit(arrays, **changes), again)
    assert sorted(path.name for path in (folder / "kept").iterdir()) == ["checkpoint.npz", "lock", "state-000008.bin"]


@pytest.mark.parametrize("changes", [{}, COUPLED, {"coupling": "views", "view_transform": "dft"}])
def test_checkpoints_do_not_change_the_fit_and_a_finished_one_resumes_at_its_end(arrays, tmp_path, changes):
    plain, kept = fit(arrays, **changes), fit(arrays, tmp_path / "kept", every=9, **changes)
    assert_same_fit(plain, kept)
    assert iteration_kept(tmp_path / "kept") == 9
    assert_same_fit(plain, fit(arrays, tmp_path / "kept", every=9, **changes))


def test_one_engine_goes_on_where_another_stopped(arrays, folder):
    fit(arrays, folder / "kept", every=4)
    assert iteration_kept(folder / "kept") == 8
    assert_same_fit(fit(arrays), fit(paths(folder), folder / "kept"))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"mu": 2.0}, r"belongs to another fit: mu was 1\.0, now it is 2\.0"),
        ({"random_state": 1}, "belongs to another fit: seed was"),
        ({"block_rows": 50}, "block_rows was 60, now it is 50"),
        ({"init": np.arange(N) % K}, "init was 'spectral', now it is"),
    ],
)
def test_another_fit_is_refused(arrays, tmp_path, changes, message):
    fit(arrays, tmp_path, max_iter=2)
    with pytest.raises(ValueError, match=message):
        fit(arrays, tmp_path, max_iter=2, **changes)


def test_other_data_are_refused(arrays, tmp_path):
    fit(arrays, tmp_path)
    with pytest.raises(ValueError, match="rows was 400, now it is 399"):
        fit([array[:-1] for array in arrays], tmp_path)
    changed = [arrays[0], arrays[1].copy()]
    changed[1][7, 3] += 1
    with pytest.raises(ValueError, match="belongs to other data"):
        fit(changed, tmp_path)


def test_a_full_disk_leaves_the_last_checkpoint_whole(arrays, tmp_path, monkeypatch):
    expected = fit(arrays)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    keep = module.Checkpoint.keep

    def keep_on_a_full_disk(self, rows, engine, loop):
        if loop.iteration == 6:
            resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, hard))
        try:
            keep(self, rows, engine, loop)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    monkeypatch.setattr(module.Checkpoint, "keep", keep_on_a_full_disk)
    with pytest.raises(
        OSError, match=r"checkpoint of iteration 6 could not be written .* That of iteration 4 is intact"
    ):
        fit(arrays, tmp_path)
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint.npz", "lock", "state-000004.bin"]
    assert_same_fit(expected, fit(arrays, tmp_path))


def test_an_unreadable_block_leaves_the_last_checkpoint_whole(arrays, folder):
    """The file is cut short while the fit runs: one error that names the rows, and a checkpoint to go on from."""
    file = folder / "1.npy"
    whole = file.read_bytes()
    fit(paths(folder), folder / "kept")

    def cut_short(stage, done, total):
        if stage == "anchors":
            file.write_bytes(whole[:-500])

    with pytest.raises(
        OSError, match=r"View 'view 1': rows 350 … 399 of .*1\.npy' cannot be read: the file is shorter"
    ):
        fit(paths(folder), folder / "kept", verbose=cut_short)
    file.write_bytes(whole)
    assert iteration_kept(folder / "kept") == 8
    assert_same_fit(fit(arrays), fit(paths(folder), folder / "kept"))


def test_damaged_checkpoints_are_named(arrays, tmp_path):
    fit(arrays, tmp_path)
    state, commit = tmp_path / "state-000008.bin", tmp_path / "checkpoint.npz"
    whole = state.read_bytes()
    state.write_bytes(whole[:-1])
    with pytest.raises(OSError, match=r"state-000008\.bin' is damaged: it holds"):
        fit(arrays, tmp_path)
    state.write_bytes(whole[:-100] + bytes(100))
    with pytest.raises(OSError, match=r"state-000008\.bin' is damaged in the rows 350 … 399"):
        fit(arrays, tmp_path)
    for spoilt in (b"nothing", b"", commit.read_bytes()[:200], commit.read_bytes()[:-30]):
        commit.write_bytes(spoilt)
        with pytest.raises(OSError, match=r"checkpoint\.npz' is no readable checkpoint"):
            fit(arrays, tmp_path)


def test_a_directory_serves_one_fit_at_a_time(arrays, tmp_path):
    expected, said = fit(arrays), []

    def meanwhile(stage, done, total):
        if (stage, done) == ("factorization", 3):
            with pytest.raises(
                OSError, match=r"Another fit keeps its checkpoints in .*name another directory"
            ) as caught:
                fit(arrays, tmp_path, random_state=1)
            said.append(caught)

    assert_same_fit(expected, fit(arrays, tmp_path, verbose=meanwhile))
    assert len(said) == 1
    assert_same_fit(expected, fit(arrays, tmp_path))  # free again, although the error is still held


def test_a_place_that_is_no_directory_is_refused_before_the_work(arrays, tmp_path):
    (tmp_path / "file").write_text("")
    seen = []
    with pytest.raises(OSError, match=r"checkpoint='.*file' is no directory to write to"):
        fit(arrays, tmp_path / "file", verbose=lambda *stage: seen.append(stage))
    assert seen == []


def test_files_of_a_fit_that_was_killed_are_cleared_away(arrays, tmp_path):
    (tmp_path / "state-000777.bin").write_bytes(b"half")
    fit(arrays, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint.npz", "lock", "state-000008.bin"]


def test_a_relative_path_is_kept_when_the_program_goes_elsewhere(arrays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    fit(arrays, "kept", verbose=lambda stage, done, total: os.chdir(tmp_path / "elsewhere"))
    assert iteration_kept(tmp_path / "kept") == 8


def test_what_a_checkpoint_needs(arrays, tmp_path):
    with pytest.raises(ValueError, match="checkpoint needs an integer random_state"):
        fit(arrays, tmp_path, random_state=None)
    with pytest.raises(ValueError, match="checkpoint_every must be an integer >= 1"):
        fit(arrays, tmp_path, every=0)
    assert os.listdir(tmp_path) == []
