"""The compiled loops under the sanitizers of addresses and of undefined behavior, over random sizes.

    python tests/sanitize/run.py [--seed SEED] [--calls CALLS] [--journal FILE]

The source is compiled anew with them and called through the project's own wrappers, in every version that this
processor can run; results are compared with NumPy's. The seed is printed: given again, it makes the same calls.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "manyview" / "kernels" / "_compiled.c"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
FLAGS = ["-std=gnu11", "-O1", "-g", "-fno-wrapv", "-fopenmp-simd", "-Wno-psabi", "-pthread", "-shared", "-fPIC"]
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:alloc_dealloc_mismatch=0",  # Python leaks at its end
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",
    "MANYVIEW_COMPILED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT / "src"),
}


def main():
    parser = argparse.ArgumentParser(description="Run the compiled loops under sanitizers.")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--calls", type=int, default=3000, help="of each version")
    parser.add_argument("--journal", type=Path, help="file to which the number of calls is added")
    parser.add_argument("--library", help="compiled before; for the processes that this one starts")
    parser.add_argument("--beyond", action="store_true", help="read beyond the end, which has to be noticed")
    options = parser.parse_args()
    if options.library is None:
        with tempfile.TemporaryDirectory() as folder:
            raise SystemExit(run_sanitized(Path(folder), options))
    versions = load(options.library)
    if options.beyond:
        read_beyond_the_end(versions[0])
    for library in versions:
        for call in range(options.calls):
            rng = np.random.default_rng([options.seed, library.lanes, call])
            LOOPS[call % len(LOOPS)](library, rng)
        print(f"{library.lanes} numbers at once: {options.calls} calls, no finding", flush=True)
    if options.journal:
        line = {"kind": "sanitize", "seed": options.seed, "calls": options.calls * len(versions)}
        with options.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def run_sanitized(folder, options):
    """Compile, check that an error would be noticed, and make the calls; the exit code."""
    compiler = os.environ.get("CC", "gcc")
    if shutil.which(compiler) is None:
        print(f"{compiler} is not installed; CC in the environment names another compiler", file=sys.stderr)
        return 2
    library = folder / "sanitized.so"
    subprocess.run([compiler, *FLAGS, *SANITIZERS, str(SOURCE), "-o", str(library), "-lm"], check=True)
    runtime = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    command = [sys.executable, __file__, "--library", str(library), "--seed", str(options.seed)]
    environment = os.environ | OPTIONS | {"LD_PRELOAD": runtime}
    beyond = subprocess.run([*command, "--beyond"], env=environment, capture_output=True, text=True, check=False)
    if "heap-buffer-overflow" not in beyond.stderr:
        print(f"the sanitizers do not work here:\n{beyond.stderr[-2000:]}", file=sys.stderr)
        return 2
    print(f"seed {options.seed}; a deliberate read beyond the end was noticed", flush=True)
    command += ["--calls", str(options.calls), *(["--journal", str(options.journal)] if options.journal else [])]
    return subprocess.run(command, env=environment, check=False).returncode


def load(path):
    """The sanitized loops in all versions for this processor, best first."""
    import ctypes

    from manyview.kernels import compiled

    loaded = ctypes.CDLL(path)
    assert loaded.interface() == compiled.INTERFACE
    return [compiled._version(loaded, lanes) for lanes in (16, 8, 4) if lanes <= loaded.lanes()]


def read_beyond_the_end(library):
    """Ask for more rows than there are."""
    d, columns, values, left = (np.ones((40, 40), kind) for kind in (np.float32, np.int64, np.float32, np.int64))
    library.nearest(d.ctypes.data, 41, 40, 1, columns.ctypes.data, values.ctypes.data, left.ctypes.data)


def nearest(library, rng):
    """The k smallest entries of rows, with equals, infinities and what is no number."""
    from manyview.kernels.nearest import _by_compiled, _by_sorting

    k = int(rng.integers(1, 17))
    n, m = int(rng.integers(0, 40)), int(rng.integers(4 * k, 4 * k + 300))
    d = rng.normal(size=(n, m)).astype(np.float32)
    if rng.random() < 0.5:
        d = np.round(d)  # many equals
    d[rng.random((n, m)) < 0.1 * rng.integers(0, 3)] = rng.choice([np.inf, -np.inf, np.nan])
    (columns, values), (expected, smallest) = _by_compiled(library, d, k), _by_sorting(d, k)
    np.testing.assert_array_equal(values, smallest)
    np.testing.assert_array_equal(columns, expected)


def search(library, rng):
    """The nearest anchors in several tables, against their distances one by one."""
    from manyview.kernels import compiled
    from manyview.kernels.nearest import expand, near_tables

    k = int(rng.integers(1, 17))
    n, m, joint = int(rng.integers(1, 70)), int(rng.integers(4 * k, 4 * k + 150)), bool(rng.integers(2))
    widths = rng.integers(1, 20, size=rng.integers(1, 4))
    tables = [expand(*(rng.normal(size=(rows, width)).astype(np.float32) for rows in (n, m))) for width in widths]
    compiled.library = library
    found = near_tables(tables, k, joint=joint)
    compiled.library = None
    d = [((table.x[:, None] - table.anchors) ** 2).sum(axis=2) for table in tables]
    for s, of_slice in enumerate([*d, sum(d)] if joint else d):
        sure = np.setdiff1d(np.arange(n), found.doubtful)
        smallest = np.sort(of_slice, axis=1)[:, :k]
        np.testing.assert_allclose(found.d[sure, s], smallest[sure], rtol=1e-2, atol=1e-3)


def sparse_times(library, rng):
    """A sparse matrix times a dense one."""
    from manyview.kernels import compiled
    from manyview.kernels.sparse import times

    n, depth, width = (int(rng.integers(low, high)) for low, high in ((0, 60), (1, 60), (8, 200)))
    A = sp.random(n, depth, rng.uniform(0, 0.5), format="csr", dtype=np.float32, random_state=rng)
    X = rng.normal(size=(depth, width)).astype(np.float32)
    compiled.library = library
    product = times(A, X)
    compiled.library = None
    np.testing.assert_allclose(product, A @ X, rtol=1e-4, atol=1e-5)


LOOPS = (nearest, search, sparse_times)


if __name__ == "__main__":
    main()
