"""Limits that are known before: the estimate, and a polite refusal."""

import json
import subprocess
import sys

import numpy as np
import pytest

from manyview import SemiNTF
from manyview.cluster.semi_ntf import cost

WIDTHS = [20, 50, 30]

MEASURE = """
import json, sys, warnings
import numpy as np
from manyview import SemiNTF

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n_rows, engine = int(sys.argv[1]), sys.argv[2]
labels = rng.integers(0, 10, n_rows)
centres = [0.5 * rng.standard_normal((10, w), dtype=np.float32) for w in (20, 50, 30)]
views = [c[labels] + rng.standard_normal((n_rows, c.shape[1]), dtype=np.float32) for c in centres]
def resident(field):  # ru_maxrss would count the process that started this one
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))
before = resident("VmRSS")
SemiNTF(10, random_state=0, n_anchors=100, engine=engine, max_iter=5, n_init=1).fit(views)
print(json.dumps(resident("VmHWM") - before))
"""


def test_needs_grow_with_rows_and_clusters():
    small, large = (SemiNTF(10).estimate(n, WIDTHS) for n in (100_000, 1_000_000))
    assert large["memory"].memory > 4 * small["memory"].memory
    assert large["memory"].scratch == 0
    assert large["disk"].memory < large["memory"].memory / 4
    assert large["disk"].scratch > 9 * small["disk"].scratch
    more, coupled = (SemiNTF(20, coupling=c).estimate(1_000_000, WIDTHS) for c in ("shared", "clusters"))
    assert large["memory"].memory < more["memory"].memory < coupled["memory"].memory
    assert all(need.seconds > 0 for need in large.engines.values())
    assert "disk" in str(large)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_peak_memory_is_within_the_promised_factor(engine):
    n_rows = 60_000
    run = [sys.executable, "-c", MEASURE, str(n_rows), engine]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=200)
    measured = json.loads(done.stdout)
    need = SemiNTF(10, n_anchors=100).estimate(n_rows, WIDTHS)[engine].memory
    assert need / 1.5 <= measured <= need * 1.5


@pytest.fixture
def views():
    return [np.random.default_rng(0).standard_normal((200, 3)) for _ in range(2)]


def test_a_fit_that_does_not_fit_is_refused_before_it_starts(views, tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "available_memory", lambda: 10_000_000)
    with pytest.raises(MemoryError, match=r"needs about 0\.1 GB .* 0\.0 GB are free\. engine='disk'"):
        SemiNTF(3).fit(views)
    model = SemiNTF(3, engine="disk", random_state=0).fit(views)
    assert len(model.labels_) == 200


def test_a_disk_without_room_is_refused_before_it_fills(views, tmp_path, monkeypatch):
    class Usage:
        free = 1000

    monkeypatch.setattr(cost.shutil, "disk_usage", lambda path: Usage)
    with pytest.raises(OSError, match=r"GB of scratch space and .* has 0\.0 GB: name another directory"):
        SemiNTF(3, engine="disk", scratch=tmp_path).fit(views)


def test_where_memory_cannot_be_known_nothing_is_refused(views, monkeypatch):
    monkeypatch.setattr(cost, "available_memory", lambda: None)
    assert len(SemiNTF(3, random_state=0).fit(views).labels_) == 200


@pytest.mark.parametrize("n_samples, widths", [(100, []), (100, [0])])
def test_what_cannot_be_estimated_says_so(n_samples, widths):
    with pytest.raises(ValueError, match="estimate needs rows and columns"):
        SemiNTF(3).estimate(n_samples, widths)
