"""Output on the screen: stages while a fit runs, tables after it, one line for an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from manyview.cli.words import in_words, of_error

REPAIRABLE = (OSError, ValueError, TypeError, MemoryError)  # what files, options and machines may be wrong about


class _Seconds(ProgressColumn):
    """Seconds of a stage, to a tenth."""

    def render(self, task: Task) -> Text:
        return Text(f"{(task.elapsed if task.finished_time is None else task.finished_time) or 0:6.1f} s")


class Stages:
    """A bar for every stage of a fit, started when the estimator names it: pass it as ``verbose``."""

    def __init__(self, progress: Progress, /) -> None:
        self._progress = progress
        self._name: str | None = None
        self._task: TaskID | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._name or self._task is None:
            self.finish()
            self._name, self._task = stage, self._progress.add_task(stage, total=None)
        if done:  # before the first step a bar that swings says more than an empty one
            self._progress.update(self._task, completed=done, total=total)

    def finish(self) -> None:
        """End the stage, perhaps before its last step."""
        if self._task is not None:
            done = max(self._progress.tasks[self._task].completed, 1)
            self._progress.update(self._task, completed=done, total=done)


@contextmanager
def stages(*, quiet: bool = False) -> Iterator[Stages]:
    """Show the stages of a fit on standard error, unless quiet."""
    columns = (SpinnerColumn("line"), TextColumn("{task.description:<14}"), BarColumn(), _Seconds())
    console = Console(stderr=True, quiet=quiet)
    with Progress(*columns, console=console) as progress:
        shown = Stages(progress)
        try:
            yield shown
        except BaseException:
            progress.live.transient = True  # the line about the error stands alone
            console.quiet |= not console.is_terminal
            raise
        shown.finish()


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on standard output; the first column is text, the others numbers."""
    shown = Table(title=title, title_justify="left", title_style="bold")
    for position, column in enumerate(columns):
        shown.add_column(column, justify="left" if position == 0 else "right", no_wrap=True)
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    Console().print(shown)


def notes(messages: Iterable[str], /, *, quiet: bool = False) -> None:
    """Print each message once, on standard error."""
    for message in dict.fromkeys(messages) if not quiet else ():
        typer.echo(f"note: {in_words(message)}", err=True)


@contextmanager
def explained(task: str, *, kinds: tuple[type[Exception], ...] = (OSError,)) -> Iterator[dict[str, str]]:
    """Turn errors that a person can repair into one line on standard error and exit code 2.

    It gives a mapping to put the file of each view into, which the line then names.
    """
    files: dict[str, str] = {}
    try:
        yield files
    except KeyboardInterrupt:
        typer.echo("manyview: interrupted", err=True)
        raise typer.Exit(130) from None
    except kinds as error:
        typer.echo(f"manyview: {task}: {of_error(error, files)}", err=True)
        raise typer.Exit(2) from None
