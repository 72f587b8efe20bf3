"""Taking a TOML table apart key by key: every error names the file and the key."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn


class PlanError(ValueError):
    """A plan that cannot be run; the message names the file and the key.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import PlanError, read_plan
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.toml"
    >>> _ = path.write_text('data = ["digits"]\\nmethods = "GMC"')
    >>> try:
    ...     read_plan(path)
    ... except PlanError as error:
    ...     print(str(error).partition(":")[0])
    small.toml
    """


@dataclass(frozen=True)
class Place:
    """A key of a plan, for messages."""

    file: str
    key: str = ""

    def inside(self, key: str) -> Place:
        """Return the place of a key in this table."""
        return Place(self.file, f"{self.key}.{key}" if self.key else key)

    def item(self, i: int) -> Place:
        """Return the place of an item of this list."""
        return Place(self.file, f"{self.key}[{i}]")

    def fail(self, message: str) -> NoReturn:
        """Say what is wrong here."""
        raise PlanError(f"{self.file}: {self.key}: {message}")


MAX_SEEDS = 10_000
MAX_DEPTH = 32  # tables and lists inside each other
_REQUIRED: Any = object()
_KINDS = {str: "a string", int: "an integer", float: "a number", list: "a list", dict: "a table"}


class Table:
    """A TOML table whose keys are taken out one by one, so that what is left over is unknown."""

    def __init__(self, values: Mapping[str, Any], place: Place) -> None:
        self.values, self.place = dict(values), place
        self.known: list[str] = []

    def take(self, key: str, kind: type, default: Any = _REQUIRED) -> Any:
        """Take the value of a key, which must be of one kind."""
        self.known.append(key)
        place = self.place.inside(key)
        if key not in self.values:
            return default if default is not _REQUIRED else place.fail("is missing")
        value = self.values.pop(key)
        if not isinstance(value, (int, float) if kind is float else kind) or isinstance(value, bool):
            place.fail(f"must be {_KINDS[kind]}, not {value!r}")
        return value

    def flag(self, key: str) -> bool:
        """Take true or false; false where it is not given."""
        self.known.append(key)
        value = self.values.pop(key, False)
        if not isinstance(value, bool):
            self.place.inside(key).fail(f"must be true or false, not {value!r}")
        return value

    def positive(self, key: str, kind: type, default: Any) -> Any:
        """Take a finite number above 0."""
        value = self.take(key, kind, default)
        if value is not None and not 0 < value < math.inf:
            self.place.inside(key).fail(f"must be positive and finite, not {value!r}")
        return value

    def items(self, key: str) -> list[Any]:
        """Take a list that is not empty."""
        return self.take(key, list) or self.place.inside(key).fail("is empty; name at least one")

    def strings(self, key: str, allowed: Sequence[str] | None, default: Any) -> Any:
        """Take a list of different strings, all of them in `allowed`."""
        if key not in self.values:
            return self.take(key, list, default)
        names, place = self.items(key), self.place.inside(key)
        for name in names:
            if not isinstance(name, str):
                place.fail(f"must be a list of strings, not {names!r}")
            if allowed is not None and name not in allowed:
                place.fail(f"{name!r} is none of {', '.join(allowed)}{hint(name, allowed)}")
        return unique(names, place)

    def integers(self, key: str) -> tuple[int, ...] | None:
        """Take a list of positive integers, or None."""
        values = self.take(key, list, None)
        if values is not None and not all(_is_seed(value) and value > 0 for value in values):
            self.place.inside(key).fail(f"must be a list of positive integers, not {values!r}")
        return None if values is None else tuple(values)

    def seeds(self, default: Any) -> Any:
        """Take a count n, which means 0 .. n-1, or a list of seeds."""
        self.known.append("seeds")
        if "seeds" not in self.values:
            return default
        value, place = self.values.pop("seeds"), self.place.inside("seeds")
        if _is_seed(value) and value > MAX_SEEDS:
            place.fail(f"must be at most {MAX_SEEDS}, not {value}; name single seeds in a list")
        seeds = list(range(value)) if _is_seed(value) else value
        if not isinstance(seeds, list) or not seeds or not all(map(_is_seed, seeds)):
            place.fail(f"must be a positive count or a list of non-negative integers, not {value!r}")
        return unique(seeds, place)

    def params(self, key: str) -> dict[str, Any]:
        """Take a table of values that have one JSON spelling, because they go into the key of a cell."""
        params: dict[str, Any] = self.take(key, dict, {})
        check_plain(params, self.place.inside(key))
        return params

    def finish(self) -> None:
        """Refuse the keys nobody took."""
        for key in self.values:
            self.place.inside(key).fail(f"unknown key{hint(key, self.known)}")


def _is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def check_depth(values: Mapping[str, Any], place: Place) -> None:
    """Refuse what is nested deeper than any plan needs, so that nothing later recurses too far."""
    for key, value in values.items():
        level, depth = [value], 0
        while level := [item for each in level for item in _items(each)]:
            depth += 1
            if depth > MAX_DEPTH:
                place.inside(key).fail(f"is nested more than {MAX_DEPTH} levels deep")


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def check_plain(value: Any, place: Place) -> None:
    """Allow strings, booleans, finite numbers, and lists and tables of them."""
    if isinstance(value, dict):
        for name, item in value.items():
            check_plain(item, place.inside(name))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            check_plain(item, place.item(i))
    elif not isinstance(value, (str, bool, int, float)):
        place.fail(f"must be a string, number, boolean, list or table, not {type(value).__name__}")
    elif isinstance(value, float) and not math.isfinite(value):
        place.fail(f"must be finite, not {value!r}")


def unique(values: Sequence[Any], place: Place) -> tuple[Any, ...]:
    """Return the values as a tuple; a repeated one is an error."""
    if all(isinstance(value, (str, int)) for value in values) and len(set(values)) == len(values):
        return tuple(values)
    for i, value in enumerate(values):
        if value in values[:i]:
            place.fail(f"{value!r} stands there twice")
    return tuple(values)


def hint(name: str, known: Sequence[str]) -> str:
    """Return the end of a message about an unknown name."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
