"""A benchmark plan: which data, methods, seeds, row orders and limits; read from TOML, checked key by key.

plan  =  data x methods x grid points x row orders x seeds         (every product is one cell)
"""

from __future__ import annotations

import itertools
import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from manyview.bench.environments import Environment, check_environment, environments
from manyview.bench.keys import Place, PlanError, Table, check_depth, hint, unique
from manyview.bench.methods import PRESETS, Preset, known_estimators, resolvable
from manyview.bench.sources import maker_exists
from manyview.metrics import clustering_scores

ORDERS = ("as-stored", "shuffled")
SCALES = ("z", "l2")
CONCATENATIONS = ("raw", *SCALES)
MEASURES = ("seconds", "cpu_seconds", "peak_mb")  # of a cell, beside its scores
MAX_CELLS = 1_000_000  # a grid of many parameters has more by mistake only


@dataclass(frozen=True)
class DataSource:
    """Where one data set comes from: a file, a maker, or a name that ``manyview.datasets`` knows."""

    name: str
    path: str | None = None
    maker: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    widths: tuple[int, ...] | None = None  # columns of each view, for files that do not tell
    n_clusters: int | None = None  # None: as many as there are different labels


@dataclass(frozen=True)
class Method:
    """An estimator with fixed parameters and, perhaps, a grid of others."""

    name: str
    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    concatenate: str | None = None  # None: the estimator takes a list of views
    scale: str | None = None  # of every view in that list; None: as they are
    environment: Environment | None = None  # None: this Python
    record: tuple[str, ...] = ()  # fitted attributes to keep in the journal
    seeds: tuple[int, ...] | None = None  # None: those of the plan; so for the next two
    orders: tuple[str, ...] | None = None
    data: tuple[str, ...] | None = None
    deterministic: bool = False  # the seed only shuffles: rows as stored give one result, and are run once

    def points(self) -> Iterator[dict[str, Any]]:
        """Yield the points of the grid; one empty point if there is no grid."""
        for values in itertools.product(*self.grid.values()):
            yield dict(zip(self.grid, values, strict=True))


@dataclass(frozen=True)
class Limits:
    """What one cell may use: wall time from the start of its process, memory of all its processes together."""

    seconds: float = 600.0
    memory_gb: float = 4.0


@dataclass(frozen=True)
class Plan:
    """A whole benchmark; made by `read_plan`.

    Attributes
    ----------
    name : str
        What tables call it.
    folder : Path
        Of the plan's file: its relative paths and its own modules start here.
    data : tuple of DataSource
    methods : tuple of Method
    seeds : tuple of int
    orders : tuple of {"as-stored", "shuffled"}
    metrics : tuple of str
        What summaries show; every cell gets all scores.
    limits : Limits
        Of each cell.
    threads : int
        That BLAS and the like may use in each cell.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import read_plan
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.toml"
    >>> _ = path.write_text('data = ["digits"]\\nmethods = ["SemiNTF", "GMC"]\\nseeds = 3')
    >>> [method.name for method in read_plan(path).methods]
    ['SemiNTF', 'GMC']
    """

    name: str
    folder: Path
    data: tuple[DataSource, ...]
    methods: tuple[Method, ...]
    seeds: tuple[int, ...]
    orders: tuple[str, ...]
    metrics: tuple[str, ...]
    limits: Limits
    threads: int


def read_plan(path: str | os.PathLike[str], /) -> Plan:
    """Read and check a plan.

    Parameters
    ----------
    path : path of a TOML file
        Keys: ``name``, ``data``, ``methods``, ``seeds``, ``orders``, ``metrics``, ``limits`` (``seconds``,
        ``memory_gb``), ``threads`` and ``environments``. An item of ``data`` is a name, a file, or a table with
        ``name``, ``n_clusters`` and either ``path`` (with ``widths``) or ``maker`` (with ``params``). An item of
        ``methods`` is an estimator, or a table with ``name``, ``estimator``, ``params``, ``grid``, ``concatenate`` or
        ``scale``, ``record``, ``seeds``, ``orders``, ``data``, ``environment`` and ``deterministic`` (the seed only
        shuffles: rows as stored are run once). ``environments`` holds tables with ``python`` (an interpreter
        that has packages of its own), ``packages`` (whose versions the journal names) and ``setup`` (the command that
        makes it).

    Returns
    -------
    Plan

    Raises
    ------
    PlanError
        A `ValueError` that names the file, the key and what to write instead.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from manyview.bench import read_plan
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.toml"
    >>> _ = path.write_text('data = ["digits"]\\nmethods = ["concat-kmeans-z"]\\nseeds = 3')
    >>> plan = read_plan(path)
    >>> plan.name, plan.seeds, [source.name for source in plan.data]
    ('small', (0, 1, 2), ['digits'])
    >>> _ = path.write_text('data = ["digits"]\\nmethods = ["concat-kmeans-z"]\\nsedes = 3')
    >>> read_plan(path)
    Traceback (most recent call last):
    manyview.bench.keys.PlanError: small.toml: sedes: unknown key; did you mean 'seeds'?
    """
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlanError(f"{path}: there is no such plan") from None
    except ValueError as error:  # not only of TOML: a file that is not text, a number of 5,000 digits
        raise PlanError(f"{path.name}: not TOML: {error}") from None
    except RecursionError:
        raise PlanError(f"{path.name}: lists or tables are nested too deeply; a plan needs a few levels") from None
    check_depth(values, Place(path.name))
    return _plan(Table(values, Place(path.name)), name=path.stem, folder=path.resolve().parent)


def _plan(table: Table, /, *, name: str, folder: Path) -> Plan:
    place = table.place
    sources = [_source(item, place.inside("data").item(i)) for i, item in enumerate(table.items("data"))]
    names = unique([source.name for source in sources], place.inside("data"))
    known = environments(Table(table.take("environments", dict, {}), place.inside("environments")))
    methods = [
        _method(item, place.inside("methods").item(i), names, known) for i, item in enumerate(table.items("methods"))
    ]
    unique([method.name for method in methods], place.inside("methods"))
    seeds, orders = table.seeds((0,)), table.strings("orders", ORDERS, ("shuffled",))
    scores = tuple(clustering_scores([0, 1], [0, 1]))
    limits = Table(table.take("limits", dict, {}), place.inside("limits"))
    plan = Plan(
        name=table.take("name", str, name),
        folder=folder,
        data=tuple(sources),
        methods=tuple(part for method in methods for part in _by_order(method, orders, seeds)),
        seeds=seeds,
        orders=orders,
        metrics=table.strings("metrics", (*scores, *MEASURES), (*scores, "seconds")),
        limits=Limits(
            seconds=limits.positive("seconds", float, Limits.seconds),
            memory_gb=limits.positive("memory_gb", float, Limits.memory_gb),
        ),
        threads=table.positive("threads", int, 1),
    )
    limits.finish()
    table.finish()
    _check_size(plan, place)
    return plan


def _check_size(plan: Plan, place: Place) -> None:
    """Refuse what could not even be listed."""
    per_data = [
        math.prod(map(len, method.grid.values())) * len(method.orders or plan.orders) * len(method.seeds or plan.seeds)
        for method in plan.methods
    ]
    n_cells = len(plan.data) * sum(per_data)  # a little too many where a method names its data
    if n_cells > MAX_CELLS:
        place.inside("methods").fail(f"make {n_cells} cells, more than {MAX_CELLS}; name fewer values, seeds or data")


def _source(item: Any, place: Place) -> DataSource:
    if isinstance(item, str):  # "digits" is a name, "mnist4.npz" and "folder/" are files
        return DataSource(Path(item).stem, path=item) if "." in item or "/" in item else DataSource(item)
    if not isinstance(item, dict):
        place.fail(f"must be a name, a file or a table, not {item!r}")
    table = Table(item, place)
    source = DataSource(
        name=table.take("name", str),
        path=table.take("path", str, None),
        maker=table.take("maker", str, None),
        params=table.params("params"),
        widths=table.integers("widths"),
        n_clusters=table.positive("n_clusters", int, None),
    )
    table.finish()
    if source.path is not None and source.maker is not None:
        place.fail("has both path and maker; give one")
    if source.maker is None and source.params:
        place.inside("params").fail("only a maker takes parameters")
    if source.path is None and source.widths is not None:
        place.inside("widths").fail("only a path has widths")
    if source.maker is not None and not maker_exists(source.maker):
        place.inside("maker").fail(f"manyview.datasets has no {source.maker!r} (your own is 'module:function')")
    if source.maker is not None and ":" not in source.maker and "random_state" not in source.params:
        place.inside("params.random_state").fail("is missing; without it every cell would get other data")
    return source


def _method(item: Any, place: Place, data_names: tuple[str, ...], known: Mapping[str, Environment]) -> Method:
    if not isinstance(item, (str, dict)):
        place.fail(f"must be an estimator or a table, not {item!r}")
    table = Table({"name": item} if isinstance(item, str) else item, place)
    name = table.take("name", str)
    preset = _preset(table.take("estimator", str, name), place)
    concatenate, scale = _arrangement(table, preset)
    params = table.params("params")
    method = Method(
        name=name,
        estimator=preset.estimator,
        params={**preset.params, **params},
        grid=_grid(table, params),
        concatenate=concatenate,
        scale=scale,
        environment=check_environment(table.take("environment", str, None), known, place.inside("environment")),
        record=table.strings("record", None, ()),
        seeds=table.seeds(None),
        orders=table.strings("orders", ORDERS, None),
        data=table.strings("data", data_names, None),
        deterministic=table.flag("deterministic"),
    )
    table.finish()
    return method


def _arrangement(table: Table, preset: Preset) -> tuple[str | None, str | None]:
    """Return how the views are given: side by side, or as a list that is scaled or not."""
    found = []
    for key, default, allowed in (("concatenate", preset.concatenate, CONCATENATIONS), ("scale", None, SCALES)):
        found.append(table.take(key, str, default))
        if found[-1] not in (None, *allowed):
            table.place.inside(key).fail(f"{found[-1]!r} is none of {', '.join(allowed)}")
    concatenate, scale = found
    if concatenate is not None and scale is not None:
        table.place.inside("scale").fail("is for lists of views; concatenate scales, too")
    return concatenate, scale


def _by_order(method: Method, orders: tuple[str, ...], seeds: tuple[int, ...]) -> list[Method]:
    """Give a deterministic method one seed for stored rows, and all of them for shuffled rows."""
    if not method.deterministic:
        return [method]
    seeds = method.seeds or seeds
    return [
        replace(method, orders=(order,), seeds=seeds[:1] if order == "as-stored" else seeds)
        for order in method.orders or orders
    ]


def _preset(estimator: str, place: Place) -> Preset:
    if not resolvable(estimator):
        known = known_estimators()
        suggestion = hint(estimator, known) or f"; known are {', '.join(known)}"
        place.fail(f"unknown estimator {estimator!r}{suggestion} (your own is 'module:Class')")
    return PRESETS.get(estimator, Preset(estimator))


def _grid(table: Table, params: Mapping[str, Any]) -> dict[str, list[Any]]:
    grid = table.params("grid")
    for name, values in grid.items():
        place = table.place.inside("grid").inside(name)
        if not isinstance(values, list) or not values:
            place.fail(f"must be a non-empty list, not {values!r}")
        if name in params:
            place.fail("is also in params; give it once")
        unique(values, place)
    return grid
