import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from manyview.bench.worker import _outcome, _reason
from manyview.datasets import DataNotPresent


@pytest.fixture
def job_of(toys, monkeypatch):
    """A job without a process; checksums are those of the toys now."""
    monkeypatch.syspath_prepend(toys)
    from manyview.bench.version import module_digest

    digest = module_digest("toys", folder=str(toys))

    def make(inputs):
        inputs["data"]["checksum"] = inputs["method"]["source"] = digest
        return {
            "inputs": inputs,
            "file": None,
            "folder": str(toys),
            "seconds": 60.0,
            "sys_path": [*sys.path, str(toys)],
        }

    return make


def test_an_outcome_is_json_with_everything_in_it(job_of, inputs_with):
    outcome = json.loads(json.dumps(_outcome(job_of(inputs_with())), allow_nan=False))
    assert outcome["status"] == "ok"
    assert outcome["result"]["n_samples"] == 60
    assert outcome["measured"]["traceback"] is None


def test_code_or_data_that_changed_since_the_key_was_made_give_no_result(job_of, inputs_with):
    job = job_of(inputs_with())
    job["inputs"]["data"]["checksum"] = "older"
    assert _outcome(job)["status"] == "failed: RuntimeError: the data were changed during the run; start it again"
    job = job_of(inputs_with())
    job["inputs"]["method"]["source"] = "older"
    assert _outcome(job)["status"] == "failed: RuntimeError: the module toys was changed during the run; start it again"


def test_warnings_are_kept_and_do_not_stop_the_cell(job_of, inputs_with):
    inputs = inputs_with(
        method__estimator="sklearn.cluster:KMeans",
        method__concatenate="raw",
        data__params={"n_samples": 3, "shift": 0.0},
    )
    inputs["data"]["n_clusters"] = 3
    inputs["method"]["params"] = {"max_iter": 1, "n_init": 1}
    job = job_of(inputs)
    job["inputs"]["method"]["source"] = None
    outcome = _outcome(job)
    assert outcome["status"] == "ok"
    assert all(": " in warning for warning in outcome["measured"]["warnings"])


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModuleNotFoundError("No module named 'x'", name="x.y"), "not installed: x.y"),
        (DataNotPresent("gone"), "data not present: gone"),
        (MemoryError(), "out of memory"),
        (MemoryError("Unable to allocate 9 GiB"), "out of memory: Unable to allocate 9 GiB"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyError("k\n  v"), "KeyError: 'k\\n v'"),
        (ValueError("x" * 400), "ValueError: " + "x" * 297 + "..."),
        (ValueError(), "ValueError"),
    ],
)
def test_reasons_are_short_and_on_one_line(error, reason):
    assert _reason(error) == reason


def test_it_ends_when_its_parent_does_with_all_it_started(job_of, inputs_with, tmp_path):
    job = job_of(inputs_with(method__params={"wait": 600.0}))
    log = tmp_path / "log"
    with tempfile.TemporaryFile("w+") as exchange:
        json.dump(job, exchange)
        exchange.flush()
        exchange.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "manyview.bench.worker", str(exchange.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=[exchange.fileno()],
            env=os.environ | {"TOY_LOG": str(log)},
            start_new_session=True,
        )
        try:
            while not log.exists() and child.poll() is None:
                time.sleep(0.02)
            assert child.poll() is None
            child.stdin.close()  # what the death of the parent does
            assert child.wait(30) == -signal.SIGKILL
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
