"""Runs of the authors' programs kept beside the project: labels and what was saved with them."""

import numpy as np


def reference_run(shared_dir, name, dataset, seed=0):
    """Saved arrays and labels of one run, e.g. ("MVGL-local1_k15", "msrcv1_5")."""
    tag = f"{name}__{dataset}__seed{seed}"
    labels = np.loadtxt(shared_dir / "reference" / "labels" / f"{tag}.csv", dtype=int, delimiter=",").ravel()
    with np.load(shared_dir / "reference" / "aux" / f"{tag}.npz", allow_pickle=False) as saved:
        return dict(saved), labels
