"""Who hears how far a fit is: the log ``manyview``, ``verbose``, and scikit-learn's callbacks (1.9 and later)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand in for scikit-learn's mixin: there are no callbacks to set."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "progress_of", "reporter", "silent", "with_callbacks"]
LOGGER = logging.getLogger("manyview")
Progress = Callable[[str, int, int], object]  # stage, steps done, steps in all


def silent(stage: str, done: int, total: int) -> None:
    """Report nothing."""


def reporter(estimator: Any, /) -> Progress:
    """Return what logs a stage, and gives it to ``verbose``: a callable, or lines on the standard error stream."""
    name, verbose = type(estimator).__name__, getattr(estimator, "verbose", False)

    def report(stage: str, done: int, total: int) -> None:
        LOGGER.info("%s: %s %d/%d", name, stage, done, total)
        if callable(verbose):
            verbose(stage, done, total)
        elif verbose:
            print(f"{name}: {stage} {done}/{total}", file=sys.stderr)

    return report


@contextmanager
def progress_of(estimator: Any, X: Any, /) -> Iterator[Progress]:
    """Give what a fit calls after each step; scikit-learn's callbacks see stages as tasks, and steps as their parts."""
    report = reporter(estimator)
    if not hasattr(estimator, "_init_callback_context"):
        yield report
        return
    tasks = _Tasks(estimator, estimator._init_callback_context(max_subtasks=None))

    def both(stage: str, done: int, total: int) -> None:
        report(stage, done, total)
        tasks(stage, done, total)

    tasks.root.call_on_fit_task_begin(estimator=estimator, X=X)
    yield both
    tasks.finish()
    tasks.root.call_on_fit_task_end(estimator=estimator, X=X)


class _Tasks:
    """A fit as scikit-learn's tree of tasks."""

    def __init__(self, estimator: Any, root: Any, /) -> None:
        self.root, self._estimator = root, estimator
        self._task: Any = None
        self._done = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        going_on = self._task is not None and done > self._done
        if not going_on or (stage, total) != (self._task.task_name, self._task.max_subtasks):
            self.finish()
            self._task, self._done = self.root.subcontext(task_name=stage, max_subtasks=total), 0
            self._task.call_on_fit_task_begin(estimator=self._estimator)
        while self._done < min(done, total):
            self._done += 1
            step = self._task.subcontext(task_name=f"{stage}, step")
            step.call_on_fit_task_begin(estimator=self._estimator)
            step.call_on_fit_task_end(estimator=self._estimator)

    def finish(self) -> None:
        """End the stage that is running."""
        if self._task is not None:
            self._task.call_on_fit_task_end(estimator=self._estimator)
        self._task = None
