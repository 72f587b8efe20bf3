"""Toy methods and data for benchmark runs, in a module beside the plan, as a user would have them; the scripts."""

import importlib
import sys
from pathlib import Path

import pytest

from manyview.bench.version import copy_package

TOYS = '''
import ctypes, os, re, subprocess, sys, threading, time
import numpy as np


def data(n_samples=60, shift=4.0):
    y = np.arange(n_samples) % 3
    noise = np.random.default_rng(7).normal(size=(n_samples, 4))
    return [noise + shift * y[:, None], noise[:, :2] - y[:, None]], y


def unlabeled():
    return data()[0], None


class Quick:
    """Says when it starts, if somebody wants to know; its labels depend on rows and seed."""

    def __init__(self, n_clusters, random_state, wait=0.0):
        self.n_clusters, self.random_state, self.wait = n_clusters, random_state, wait

    def fit(self, views):
        if "TOY_LOG" in os.environ:
            with open(os.environ["TOY_LOG"], "a") as log:
                log.write(f"{self.random_state} {os.getpid()}\\n")
        time.sleep(self.wait)
        flips = np.random.default_rng(self.random_state).random(len(views[0])) < 0.2
        self.labels_ = (np.round(views[0].mean(axis=1) / 4.0).astype(int) + flips) % self.n_clusters
        self.center_ = np.array([float(views[0].mean()), np.nan])
        return self


class Segfault:
    def fit(self, views):
        ctypes.string_at(0)


class Hungry:
    def fit(self, views):
        kept = []
        while True:
            kept.append(np.ones(2_000_000))


class HungryChild:
    def fit(self, views):
        subprocess.run([sys.executable, "-c", "kept = []\\nwhile True: kept.append(bytearray(b'x') * 10_000_000)"])


class HungrySession:
    def fit(self, views):
        hungry = "kept = []\\nwhile True: kept.append(bytearray(b'x') * 10_000_000)"
        subprocess.run([sys.executable, "-c", hungry], start_new_session=True)


class Unspeakable:
    """Its message is long, and no file can hold it."""

    def fit(self, views):
        raise ValueError("\\udc80 " + "x" * 10_000_000)


class CrashedParent:
    """Dies and leaves a process in a session of its own."""

    def fit(self, views):
        left = subprocess.Popen(["sleep", "600"], start_new_session=True)
        with open(os.path.join(os.path.dirname(__file__), "session"), "w") as file:
            file.write(str(left.pid))
        ctypes.string_at(0)


class Endless:
    """Never returns, and never lets another thread of its process run."""

    def fit(self, views):
        re.match(r"(a+)+$", "a" * 64 + "b")


class Leaver:
    def fit(self, views):
        os._exit(0)


class Raiser:
    def fit(self, views):
        raise ArithmeticError("no\\nway")


class Littering:
    """Fits well, but talks without end and leaves processes and a thread behind."""

    def fit(self, views):
        left = subprocess.Popen(["sleep", "600"])
        session = subprocess.Popen(["sleep", "600"], start_new_session=True)
        hidden = subprocess.Popen(["sleep", "600"], start_new_session=True, env={"PATH": os.environ["PATH"]})
        threading.Thread(target=time.sleep, args=(600,)).start()
        print("x" * 3_000_000, file=sys.stderr, flush=True)
        self.labels_ = np.zeros(len(views[0]), dtype=int)
        self.left_ = [left.pid, session.pid, hidden.pid]
        self.code_ = sys.modules["manyview"].__file__
        self.threads_ = os.environ["OMP_NUM_THREADS"]
        for process in (left, session, hidden):
            process.returncode = 0  # keeps Popen from warning that it still runs


class TooFew:
    def fit(self, views):
        self.labels_ = np.zeros(3, dtype=int)
'''


@pytest.fixture(scope="session")
def toys(tmp_path_factory) -> Path:
    """A folder with the module ``toys``."""
    folder = tmp_path_factory.mktemp("toys")
    (folder / "toys.py").write_text(TOYS)
    return folder


@pytest.fixture(scope="session")
def frozen_code(tmp_path_factory) -> Path:
    """A copy of the package: two runs can be compared even if somebody edits the original between them."""
    folder = tmp_path_factory.mktemp("code")
    copy_package(folder)
    return folder


@pytest.fixture
def write_plan(tmp_path):
    """Write a plan into a folder of its own and return its path."""

    def write(text: str, name: str = "plan.toml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def toy_inputs(**changes):
    inputs = {
        "data": {
            "name": "toy",
            "kind": "maker",
            "maker": "toys:data",
            "params": {},
            "widths": None,
            "n_clusters": None,
            "checksum": "abc",
        },
        "method": {
            "name": "quick",
            "estimator": "toys:Quick",
            "params": {},
            "grid": {},
            "concatenate": None,
            "record": [],
            "source": None,
        },
        "order": "shuffled",
        "seed": 0,
        "threads": 1,
        "code": {"manyview": "0", "source": "1"},
    }
    for path, value in changes.items():
        table = inputs
        *parents, last = path.split("__")
        for parent in parents:
            table = table[parent]
        table[last] = value
    return inputs


@pytest.fixture(scope="session")
def inputs_with():
    """Inputs of a toy cell with some of them changed: inputs_with(seed=1, method__grid={"p": 1})."""
    return toy_inputs


@pytest.fixture(scope="module")
def script():
    """Imports a script of the benchmarks, which finds what lies beside it."""
    with pytest.MonkeyPatch.context() as patch:

        def imported(path):
            patch.setattr(sys, "path", [str(path.parent), *sys.path])
            return importlib.import_module(path.stem)

        yield imported
