"""Stages, tables and error lines."""

import io

import pytest
import typer
from rich.console import Console
from rich.progress import Progress

from manyview.cli import screen
from manyview.cli.screen import Stages


@pytest.fixture
def progress():
    return Progress(console=Console(file=io.StringIO()), auto_refresh=False)


def test_each_stage_is_a_bar_and_ends_full_when_the_next_begins(progress):
    stages = Stages(progress)
    stages("start", 0, 1)
    assert not progress.tasks[0].finished
    stages("loop", 0, 200)
    assert progress.tasks[0].finished
    assert progress.tasks[1].total is None  # swings until a first step is done
    stages("loop", 7, 200)
    assert (progress.tasks[1].completed, progress.tasks[1].total) == (7, 200)
    stages.finish()
    assert progress.tasks[1].finished
    assert (progress.tasks[1].completed, progress.tasks[1].total) == (7, 7)  # converged early: no invented steps
    assert [task.description for task in progress.tasks] == ["start", "loop"]


def test_stages_are_shown_on_standard_error(capsys):
    with screen.stages() as stages:
        stages("anchors", 0, 1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "anchors" in shown.err


def test_table_prints_markup_as_it_is(capsys):
    screen.table("Title", ("name", "value"), [("[red]x[/red]", "1")])
    assert "[red]x[/red]" in capsys.readouterr().out


def test_explained_errors_become_a_line_others_pass(capsys):
    with pytest.raises(typer.Exit) as caught, screen.explained("cannot do it"):
        raise OSError("disk full")
    assert caught.value.exit_code == 2
    assert capsys.readouterr().err == "manyview: cannot do it: disk full\n"
    with pytest.raises(ValueError, match="a bug"), screen.explained("cannot do it"):
        raise ValueError("a bug")
