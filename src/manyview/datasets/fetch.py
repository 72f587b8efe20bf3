"""Public data sets by name: fetched once from their source, checked, and then known like the user's own files."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Literal

from manyview.datasets.registry import (
    BUILT_IN,
    checksum,
    data_directory,
    load,
    recorded_checksum,
    register,
    registered,
)
from manyview.datasets.sources import OWN_COPIES, SOURCES, Source
from manyview.io import DataNotPresent, MultiViewData

State = Literal["ok", "not fetched", "file is gone", "file has changed"]


def fetch(name: str, *, progress: bool = True) -> MultiViewData:
    """Load a public data set, and download it first if this machine does not have it.

    Parameters
    ----------
    name : str
        One of ``manyview datasets list``, or a name that :func:`register` knows: your own copy comes first. NUS, AWA
        and the full Reuters have no public source here; register your copy as ``"nus"``, ``"awa"`` or ``"reuters"``.
    progress : bool, default=True
        Whether to show a progress bar on standard error.

    Returns
    -------
    MultiViewData

    Raises
    ------
    DataNotPresent
        The file could not be fetched, or there is nowhere to fetch it from; the message says what to do.
    ValueError
        The file is not the one that is expected: it has another checksum. It is not kept.
    ImportError
        The extra ``fetch`` is not installed.

    Notes
    -----
    Files are kept in the folder ``fetched`` of the user's data directory (see :func:`register`). Where the checksum
    (SHA-256) of a source is not known beforehand, it is recorded when the file is first seen, and compared from then
    on. Most sources state no license: ``SOURCES[name].license``.

    Examples
    --------
    >>> from manyview.datasets import fetch
    >>> fetch("mnist4").n_features  # doctest: +SKIP
    (30, 9, 30)
    """
    known = registered()
    if name in BUILT_IN or (name in known and (name not in SOURCES or Path(known[name]).exists())):
        return load(name)
    if name in OWN_COPIES:
        raise DataNotPresent(
            f"{name!r} has no public source here; name your own copy: manyview.datasets.register({name!r}, path)"
        )
    if name not in SOURCES:
        raise DataNotPresent(
            f"no data set is known as {name!r}; known are {', '.join([*BUILT_IN, *SOURCES, *OWN_COPIES])}, and what "
            "manyview.datasets.register was told"
        )
    register(name, _download(name, SOURCES[name], progress=progress))
    return load(name)


def verify(name: str) -> State:
    """Compare the file of a public or registered data set with its checksum.

    Parameters
    ----------
    name : str
        Of the data set.

    Returns
    -------
    {"ok", "not fetched", "file is gone", "file has changed"}
        What was found.

    Examples
    --------
    >>> from manyview.datasets import verify
    >>> verify("digits")
    'ok'
    """
    if name in BUILT_IN:
        return "ok"
    known = registered()
    if name not in known:
        return "not fetched"
    path = Path(known[name])
    if not path.exists():
        return "file is gone"
    return "ok" if checksum(path) == recorded_checksum(name) else "file has changed"


def _download(name: str, source: Source, *, progress: bool) -> Path:
    """Bring the file of a source here, or raise an error that says what to do; no part of a file is kept."""
    pooch = _pooch()
    sha256 = source.sha256 or recorded_checksum(name)
    responses: list[Any] = []  # pooch leaves them open after an error
    by_hand = f"download the file in another way and name it: manyview.datasets.register({name!r}, path)"
    try:
        path = pooch.retrieve(
            source.url,
            known_hash=None if sha256 is None else f"sha256:{sha256}",
            fname=f"{name}{Path(source.path).suffix}",
            path=data_directory() / "fetched",
            downloader=pooch.HTTPDownloader(
                progressbar=progress,
                timeout=30,  # seconds without an answer
                hooks={"response": lambda response, **_: responses.append(response)},
            ),
        )
    except OSError as error:  # no network, no such file, or a transfer that was cut
        raise DataNotPresent(
            f"{name!r} could not be fetched from {source.url} ({type(error).__name__}: {error}). Nothing was kept. "
            f"Try again with a connection to the internet, or {by_hand}"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{source.url} is not the {name!r} that is expected: its SHA-256 is not {sha256}. Nothing was kept. "
            f"Try again; if it happens again, {by_hand}"
        ) from error
    finally:
        for response in responses:
            response.close()
    return Path(path)


def _pooch() -> Any:
    for library in ("pooch", "tqdm"):
        try:
            importlib.import_module(library)
        except ImportError as error:
            raise ImportError(f"fetching data needs {library}: pip install 'manyview[fetch]'", name=library) from error
    pooch: Any = importlib.import_module("pooch")
    pooch.get_logger().setLevel("WARNING")
    return pooch
