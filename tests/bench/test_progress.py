import sys

import pytest

from manyview.bench import progress as module
from manyview.bench.cell import Cell
from manyview.bench.progress import Live, Plain, Progress, Quiet, default_screen


class Recorder(Quiet):
    def __init__(self):
        self.lines, self.updates = [], []

    def log(self, line, standing, *, failed):
        self.lines.append((line, standing, failed))

    def update(self, line, *, done, total):
        self.updates.append((line, done, total))


@pytest.fixture
def cells(inputs_with):
    return [Cell(inputs_with(seed=seed)) for seed in range(4)]


def row(cell, seconds, status="ok"):
    return {"key": cell.key, "inputs": cell.inputs, "status": status, "measured": {"wall_seconds": seconds}}


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_time_left_is_the_mean_time_of_what_is_left_over_the_jobs(cells, clock):
    follow = Progress(cells, [], jobs=2, screen=Quiet())
    assert follow.time_left() is None
    follow.started(cells[0])
    follow.finished(cells[0], row(cells[0], 10.0))
    assert follow.time_left() == 3 * 10.0 / 2
    follow.started(cells[1])
    clock[0] = 4.0
    assert follow.time_left() == (6.0 + 10.0 + 10.0) / 2


def test_alike_cells_are_the_better_guess(inputs_with, clock):
    slow = [Cell(inputs_with(data__name="slow", seed=seed)) for seed in (0, 1)]
    fast = [Cell(inputs_with(data__name="fast", seed=seed)) for seed in (0, 1)]
    other = Cell(inputs_with(data__name="other", method__name="new"))
    follow = Progress([*slow, *fast, other], [row(slow[0], 100.0), row(fast[0], 2.0)], jobs=1, screen=Quiet())
    assert follow.time_left() == 100.0 + 2.0 + 51.0


def test_absent_data_cost_no_time(inputs_with, cells):
    absent = Cell(inputs_with(seed=9), absent="data not present")
    follow = Progress([*cells[:2], absent], [row(cells[0], 8.0)], jobs=1, screen=Quiet())
    assert follow.time_left() == pytest.approx(8.0)


def test_what_is_shown(cells, clock):
    screen = Recorder()
    follow = Progress(cells, [row(cells[0], 90.0)], jobs=1, screen=screen)
    follow.started(cells[1])
    follow.tick()
    follow.tick()  # too soon
    follow.finished(cells[1], row(cells[1], 110.0, "failed: x"))
    clock[0] = 1.0
    follow.tick()
    assert screen.updates == [
        ("1/4 cells; 1 running, about 4 min left: toy, quick, shuffled, seed 1", 1, 4),
        ("2/4 cells, 1 failed; 0 running, about 3 min left: ", 2, 4),
    ]
    assert screen.lines == [
        ("[2/4] toy, quick, shuffled, seed 1: failed: x (110.0 s)", "0 running, about 3 min left", True)
    ]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0 s"), (89.0, "89 s"), (150.0, "2 min"), (5000.0, "83 min"), (9000.0, "2 h")]
)
def test_times_as_people_say_them(seconds, text):
    assert module._spoken(seconds) == f"about {text}"


def test_plain_lines_go_to_standard_error(capsys):
    screen = Plain()
    screen.log("one", "two", failed=False)
    screen.update("never seen", done=1, total=2)
    screen.close()
    assert capsys.readouterr() == ("", "one; two\n")


def test_the_live_bar_shows_the_run_and_keeps_failures(capsys, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    screen = Live()
    screen.update("[3/9] cells", done=3, total=9)
    screen.log("good", "standing", failed=False)
    screen.log("bad [red]", "standing", failed=True)
    screen.close()
    shown = capsys.readouterr().err
    assert "[3/9] cells" in shown
    assert "bad [red]" in shown
    assert "good" not in shown
    assert "standing" not in shown


def test_the_screen_fits_where_it_is_shown(monkeypatch):
    assert isinstance(default_screen(), Plain)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    assert isinstance(default_screen(), Plain)
