"""Faults at random, and what is left after them: kills, full disks, locked folders, rivals, damaged files.

    python tests/chaos/run.py [--seed SEED] [--seconds SECONDS] [--only FAULT …] [--journal FILE]

Faults take turns until the time is over; their places and moments are drawn from the seed, which is printed. Then
workers of a Dask cluster are killed, where Dask is installed. The seed and number of a fault that failed repeat it:
--seed SEED --number NUMBER. What a process was doing at a moment still depends on the machine.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(Path(__file__).parent)]
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}

import faults  # noqa: E402
import numpy as np  # noqa: E402

N_KILLED_WORKERS = 3


def main():
    options = parsed()
    print(f"seed {options.seed}", flush=True)
    outcomes, failed = defaultdict(Counter), []
    chosen = [fault for fault in faults.FAULTS if not options.only or fault.__name__ in options.only]
    with tempfile.TemporaryDirectory(prefix="manyview-chaos-") as folder:
        os.chmod(folder, 0o755)  # one fault is another user
        stage = faults.prepare(Path(folder))
        end = time.monotonic() + options.seconds
        numbers = [options.number] if options.number is not None else range(10**9)
        for number in numbers:
            if time.monotonic() > end or not chosen:
                break
            fault = chosen[number % len(chosen)]
            failed += attempt(fault, stage, Path(folder), number, options, outcomes)
        keep(outcomes, options)
        if options.number is None and (not options.only or "worker_is_killed" in options.only):
            drawn, outcomes = outcomes, defaultdict(Counter)
            failed += kill_workers(stage, Path(folder), options, outcomes)
            keep(outcomes, options)
            outcomes |= drawn
    report(outcomes)
    for line in failed:
        print(line, file=sys.stderr)
    raise SystemExit(1 if failed else 0)


def parsed():
    parser = argparse.ArgumentParser(description="Draw faults at random, and check what is left after them.")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--seconds", type=float, default=150, help="for which faults are drawn")
    parser.add_argument("--only", nargs="*", help="names of faults")
    parser.add_argument("--number", type=int, help="of one fault to repeat")
    parser.add_argument("--journal", type=Path, help="file to which the counts are added")
    return parser.parse_args()


def attempt(fault, stage, folder, number, options, outcomes, *more):
    """Let one fault happen; a list of at most one complaint."""
    place = folder / f"{number}-{fault.__name__}"
    place.mkdir()
    rng = np.random.default_rng([options.seed, number])
    try:
        outcomes[fault.__name__][fault(stage, place, rng, *more)] += 1
    except Exception:
        outcomes[fault.__name__]["FAILED"] += 1
        again = f"python tests/chaos/run.py --seed {options.seed} --number {number}"
        if options.only:
            again += f" --only {' '.join(options.only)}"
        return [f"{fault.__name__}: {traceback.format_exc()}\nagain: {again}"]
    finally:
        place.chmod(0o755)
    return []


def kill_workers(stage, folder, options, outcomes):
    try:
        import dask
        import distributed
    except ImportError:
        print("dask is not installed: no worker is killed")
        return []
    # on a busy machine a killed worker may be back only after the 15 s for which the cluster waits by default
    dask.config.set({"distributed.deploy.lost-worker-timeout": "5 minutes"})
    with (
        distributed.LocalCluster(
            processes=True,
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=120)
        complaints = []
        for number in range(-N_KILLED_WORKERS, 0):
            seeded = argparse.Namespace(**vars(options) | {"seed": abs(options.seed + number)})
            complaints += attempt(faults.worker_is_killed, stage, folder, abs(number), seeded, outcomes, client)
        return complaints


def report(outcomes):
    for name, counts in outcomes.items():
        told = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
        print(f"{name:32} {counts.total():5}  {told}")
    print(f"{sum(counts.total() for counts in outcomes.values())} faults")


def keep(outcomes, options):
    if options.journal and outcomes:
        line = {"kind": "chaos", "seed": options.seed, "outcomes": {n: dict(c) for n, c in outcomes.items()}}
        with options.journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
