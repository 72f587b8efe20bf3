"""Damaged files, 200 per format: an error or the shapes that were written, never a crash, a hang or another shape.

A flipped bit inside a number cannot be seen where the format has no checksum, so values are not compared.
"""

import numpy as np
import pytest
from manyview.datasets._folder import assemble_folder, table_paths

from manyview.io import read_views
from manyview.io.isolation import parse
from manyview.io.layout import assemble

N_FILES = 200


def damage(content, rng):
    """The content with flipped bits, a cut, a gap, an insertion, an overwritten or a repeated piece."""
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


def generators(seed):
    return [np.random.default_rng([seed, i]) for i in range(N_FILES)]


class Verdicts:
    """What became of the files of one format."""

    def __init__(self, want):
        self.want, self.complaints, self.read = want, [], 0

    def judge(self, read, where):
        try:
            data = read()
        except ValueError as error:
            self.complaints.append(str(error))
            return
        self.read += 1
        assert list(data.views) == list(self.want.views), where
        assert (data.n_samples, data.n_features) == (self.want.n_samples, self.want.n_features), where
        for view in data.views.values():
            assert np.isfinite(view.data if hasattr(view, "indptr") else view).all(), where
        if data.labels is not None:  # the labels' name may be hit: then there are none
            assert data.labels.shape == (data.n_samples,), where
            assert 0 <= data.labels.min() <= data.labels.max() < data.n_samples, where

    def finish(self):
        assert len(self.complaints) + self.read == N_FILES
        assert all(self.complaints)
        assert len(self.complaints) > N_FILES // 4  # the damage is real


def raise_or(answer, use):
    if isinstance(answer, ValueError):
        raise answer
    return use(answer)


@pytest.mark.parametrize("kind, compressed, seed", [("mat5", False, 1), ("mat5", True, 2), ("mat73", False, 3)])
def test_mat(tmp_path, tiny, write, kind, compressed, seed):
    getattr(write, kind)(tmp_path / "good.mat", tiny, compressed=compressed)
    content = (tmp_path / "good.mat").read_bytes()
    paths = [tmp_path / f"{i}.mat" for i in range(N_FILES)]
    for path, rng in zip(paths, generators(seed), strict=True):
        path.write_bytes(damage(content, rng))
    verdicts = Verdicts(tiny)
    for path, answer in zip(paths, parse([(kind, path) for path in paths], time_limit=10.0), strict=True):
        verdicts.judge(lambda answer=answer: raise_or(answer, lambda a: assemble(a, source="file", name="x")), path)
    verdicts.finish()


@pytest.mark.parametrize("compressed, seed", [(False, 4), (True, 5)])
def test_npz(tmp_path, tiny, write, compressed, seed):
    write.npz(tmp_path / "good.npz", tiny, compressed=compressed)
    content = (tmp_path / "good.npz").read_bytes()
    verdicts = Verdicts(tiny)
    for i, rng in enumerate(generators(seed)):
        (tmp_path / "bad.npz").write_bytes(damage(content, rng))
        verdicts.judge(lambda: read_views(tmp_path / "bad.npz"), i)
    verdicts.finish()


@pytest.mark.parametrize("ids, seed", [(None, 6), ([f"s{i}" for i in range(12)], 7)])
def test_csv(tmp_path, tiny, write, ids, seed):
    folder = tmp_path / "good"
    write.csv_folder(folder, tiny, ids=ids)
    paths = sorted(folder.iterdir())
    verdicts = Verdicts(tiny)
    for i, rng in enumerate(generators(seed)):
        path = paths[i % len(paths)]
        content = path.read_bytes()
        path.write_bytes(damage(content, rng))
        verdicts.judge(lambda: read_views(folder), i)
        path.write_bytes(content)
    verdicts.finish()


def test_parquet(tmp_path, tiny, write):
    folder = tmp_path / "good"
    write.parquet_folder(folder, tiny)
    tables = table_paths(folder)
    names = list(tables)
    bad = [tmp_path / f"{i}.parquet" for i in range(N_FILES)]
    for i, rng in enumerate(generators(8)):
        bad[i].write_bytes(damage(tables[names[i % len(names)]].read_bytes(), rng))
    good_answers = parse([("parquet", path) for path in tables.values()])
    good = dict(zip(tables.values(), good_answers, strict=True))
    verdicts = Verdicts(tiny)
    for i, answer in enumerate(parse([("parquet", path) for path in bad], time_limit=10.0)):
        hit = tables[names[i % len(names)]]
        verdicts.judge(
            lambda answer=answer, hit=hit: raise_or(
                answer, lambda a: assemble_folder(folder, tables, good | {hit: a}, name="x")
            ),
            i,
        )
    verdicts.finish()
