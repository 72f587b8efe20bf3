"""No file is ever loaded as a pickle: neither by a call in the source, nor by opening one."""

import ast
import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import manyview
from manyview.datasets import read_views

ROOT = Path(manyview.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))
LOADERS = {"_pickle", "cloudpickle", "dill", "marshal", "shelve", "torch"}
CALLS = {"pickle.load", "pickle.loads", "pickle.Unpickler", "joblib.load", "pd.read_pickle", "pandas.read_pickle"}
# functions that Dask carries from the client to its workers, and a model that a check has just pickled itself
IN_MEMORY = {"engine/dask.py": ["pickle.loads"], "testing/checks.py": ["pickle.loads"]}


def unsafe(source):
    """What in a source can load a pickle."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [
                alias.name for alias in node.names if alias.name.split(".")[0] in LOADERS or alias.asname == "pickle"
            ]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")[0]
            names = [f"{module}.{alias.name}" for alias in node.names]
            names = [name for name in names if module in LOADERS or name in CALLS]
        elif isinstance(node, ast.Call):
            names = [name for name in [ast.unparse(node.func)] if name in CALLS or any(map(allows, node.keywords))]
        else:
            continue
        found += names
    return found


def allows(word):
    return word.arg == "allow_pickle" and not (isinstance(word.value, ast.Constant) and word.value.value is False)


def test_no_source_loads_a_pickle_from_disk():
    found = {path.relative_to(ROOT).as_posix(): unsafe(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert len(found) > 100
    assert {name: calls for name, calls in found.items() if calls} == IN_MEMORY


@pytest.mark.parametrize(
    "source",
    [
        "import pickle\npickle.load(file)",
        "from pickle import loads",
        "import dill as pickle",
        "import joblib\njoblib.load(path)",
        "from joblib import load",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=anything)",
        "pd.read_pickle(path)",
    ],
)
def test_what_could_load_a_pickle_is_found(source):
    assert unsafe(source) != []


def test_what_could_not_is_allowed():
    assert unsafe("import joblib\nnp.load(path, allow_pickle=False)\njoblib.Parallel(2)\njson.load(file)") == []


class Bomb:
    """Leaves a file where it is unpickled."""

    def __init__(self, place):
        self.place = str(place)

    def __reduce__(self):
        return Path.touch, (Path(self.place),)


@pytest.fixture(params=["npz", "npy in a folder", "pkl", "joblib", "npz that is a pickle"])
def armed(request, tmp_path):
    """A file or folder that holds a pickle, and what appears if it is loaded."""
    gone_off = tmp_path / "gone-off"
    array = io.BytesIO()
    np.save(array, np.array([Bomb(gone_off)], dtype=object), allow_pickle=True)
    name, _, rest = request.param.partition(" ")
    place = tmp_path / f"views.{name}"
    if name == "npz" and not rest:
        with zipfile.ZipFile(place, "w") as file:
            file.writestr("view_0.npy", array.getvalue())
    elif name == "npy":
        place = tmp_path / "views"
        place.mkdir()
        (place / "a.npy").write_bytes(array.getvalue())
    else:
        place.write_bytes(pickle.dumps(Bomb(gone_off)))
    return place, gone_off


def test_a_pickle_is_refused_unopened(armed):
    place, gone_off = armed
    with pytest.raises(ValueError, match=place.name):
        read_views(place)
    assert not gone_off.exists()


def test_the_bomb_works(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "gone-off")))
    assert (tmp_path / "gone-off").exists()
