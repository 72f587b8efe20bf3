"""Damaged files, 200 per format or as many as tests/mutations.py is told.

Each is a data set or one error that begins with the path, never a crash or a hang.
Where the format allows it the shapes must be those that were written. A flipped bit inside a number cannot be seen
where the format has no checksum, so values are not compared.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather
from scipy.io import mmwrite
from scipy.sparse import csr_matrix

from manyview.io import MultiViewData, isolation, read_views, write_views
from manyview.io.files import Choices, Limits, request_for
from mutations import N_FILES, record

pytestmark = pytest.mark.mutations


def damage(content, rng):
    """Return the content with flipped bits, a cut, a gap, an insertion, an overwritten or a repeated piece."""
    damaged = bytearray(content)
    start = int(rng.integers(len(damaged)))
    end = min(len(damaged), start + int(rng.integers(1, 33)))
    match int(rng.integers(7)):
        case 0 | 1:
            for place in rng.integers(len(damaged), size=int(rng.integers(1, 9))):
                damaged[place] ^= 1 << int(rng.integers(8))
        case 2:
            del damaged[start:]
        case 3:
            del damaged[start:end]
        case 4:
            damaged[start:start] = rng.bytes(end - start)
        case 5:
            damaged[start:end] = rng.bytes(end - start)
        case 6:
            damaged[start:start] = damaged[start:end]
    return bytes(damaged)


def write_arrow(path, data):
    table = pa.table({f"c{j}": column for j, column in enumerate(data.views["view_0"].T)})
    feather.write_feather(table, path, compression="zstd")


def write_frame(writer, **options):
    def write(path, data):
        frame = pd.DataFrame(data.views["view_0"], index=pd.Index([f"s{i}" for i in range(12)], name="id"))
        getattr(frame.rename(columns="c{}".format), writer)(path, **options)

    return write


def write_mtx(path, data):
    mmwrite(path, csr_matrix(data.views["view_2"]))


def write_single(path, data):
    write_views(MultiViewData({"view_2": csr_matrix(data.views["view_2"])}), path)


# format -> writer, and whether the shapes must be those that were written
WRITERS = {
    "a.csv": (write_frame("to_csv"), False),
    "a.csv.gz": (write_frame("to_csv"), True),
    "a.tsv.zst": (lambda path, data: pack(path, write_frame("to_csv", sep="\t"), data), False),
    "a.parquet": (write_frame("to_parquet"), False),
    "a.feather": (write_arrow, False),
    "a.npy": (lambda path, data: np.save(path, data.views["view_0"]), True),
    "a.mtx": (write_mtx, False),
    "a.xlsx": (write_frame("to_excel"), False),
    "a.h5ad": (write_single, False),
    "a.h5mu": (lambda path, data: write_views(data, path), False),
}


def pack(path, write, data):
    plain = path.with_suffix(".plain")
    write(plain, data)
    with pa.output_stream(str(path), compression="zstd") as stream:
        stream.write(plain.read_bytes())


def check_damaged(monkeypatch, tmp_path, content, suffix, want, seed, kind=None):
    """Parse all damaged files in one process, then let `read_views` judge what came out."""
    paths = [tmp_path / f"{i}{suffix}" for i in range(N_FILES)]
    for i, path in enumerate(paths):
        path.write_bytes(damage(content, np.random.default_rng([seed, i])) or b"x")
    limits = Limits(3.0, 2**32)
    requests = [request_for(path, limits, Choices()) for path in paths]
    answers = dict(zip(paths, isolation.parse(requests, **limits._asdict()), strict=True))

    def answer_of(files, **_):
        if isinstance(answers[files[0].path], ValueError):
            raise answers[files[0].path]
        return [answers[files[0].path]]

    monkeypatch.setattr("manyview.io.read.parse_or_raise", answer_of)
    complaints = {}
    for path in paths:
        try:
            data = read_views(path)
        except ValueError as error:
            complaints[path] = str(error)
            continue
        for view in data.views.values():
            values = view.data if hasattr(view, "indptr") else view[~np.isnan(view).all(axis=1)]
            assert np.isfinite(values).all(), path
        if data.labels is not None:  # the labels' name may be hit: then there are none
            assert 0 <= data.labels.min() <= data.labels.max() < data.n_samples, path
        if want is not None:
            assert (data.n_samples, data.n_features) == want, path
    record(kind or suffix, complaints.values())
    assert len(complaints) > N_FILES // 8  # the damage is real
    assert [c for path, c in complaints.items() if not c.startswith(str(path))] == []


@pytest.mark.parametrize("kind, compressed, seed", [("mat5", False, 1), ("mat5", True, 2), ("mat73", False, 3)])
def test_mat(monkeypatch, tmp_path, tiny, write, kind, compressed, seed):
    getattr(write, kind)(tmp_path / "good.mat", tiny, compressed=compressed)
    content = (tmp_path / "good.mat").read_bytes()
    check_damaged(monkeypatch, tmp_path, content, ".mat", (12, (5, 7, 9)), seed, f"{kind}, compressed={compressed}")


@pytest.mark.parametrize("compressed, seed", [(False, 4), (True, 5)])
def test_npz(monkeypatch, tmp_path, tiny, write, compressed, seed):
    write.npz(tmp_path / "good.npz", tiny, compressed=compressed)
    content = (tmp_path / "good.npz").read_bytes()
    check_damaged(monkeypatch, tmp_path, content, ".npz", (12, (5, 7, 9)), seed, f"npz, compressed={compressed}")


@pytest.mark.parametrize("name", WRITERS)
def test_other_formats(monkeypatch, tmp_path, tiny, name):
    write, is_strict = WRITERS[name]
    write(tmp_path / name, tiny)
    content = (tmp_path / name).read_bytes()
    check_damaged(monkeypatch, tmp_path, content, name[1:], (12, (5,)) if is_strict else None, 6)


@pytest.mark.usefixtures("inline")
@pytest.mark.parametrize("ids, seed", [(None, 7), ([f"s{i}" for i in range(12)], 8)])
def test_csv_folder(tmp_path, tiny, write, ids, seed):
    """The other tables tell whether one has lost a row."""
    folder = tmp_path / "good"
    write.csv_folder(folder, tiny, ids=ids)
    paths = sorted(folder.iterdir())
    complaints = []
    for i in range(N_FILES):
        path = paths[i % len(paths)]
        content = path.read_bytes()
        path.write_bytes(damage(content, np.random.default_rng([seed, i])))
        try:
            data = read_views(folder)
        except ValueError as error:
            complaints.append(str(error))
        else:
            assert (data.n_samples, len(data.n_features)) == (12, 3), i
        path.write_bytes(content)
    record(f"folder of csv files, ids={ids is not None}", complaints)
    assert len(complaints) > N_FILES // 4
    assert [complaint for complaint in complaints if not complaint.startswith(str(folder))] == []
