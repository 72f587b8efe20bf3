"""What classifiers that know the labels of nine tenths of the rows reach on the tenth: a ceiling for clustering.

    python benchmarks/paper/ceiling.py [--data ../shared/data] [--out docs/results]      -> paper-ceiling.jsonl

Ten folds, every row predicted once, on all views side by side, standardized, and on the paper's anchor graphs (its
number of anchors, DAS, ten neighbors, views divided by their maxima), and with 100 anchors. The scores are those of
clustering.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

import numpy as np
from evidence import PAPER, das_rows
from numpy.typing import NDArray
from runs import DATA, RESULTS, Point, load, present, run, scores
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

NEIGHBORS = 10
CLASSIFIERS = {
    "logistic regression": lambda: LogisticRegression(max_iter=2000),
    "SVM, RBF, C = 10": lambda: SVC(C=10),
    "random forest": lambda: RandomForestClassifier(100, random_state=0),
    "10 nearest neighbors": lambda: KNeighborsClassifier(10),
}


def anchor_graphs(views: list[NDArray[Any]], n_anchors: int) -> NDArray[np.float64]:
    """Anchor graphs of the paper side by side: w_j = (d_(k+1) - d_j) / (k d_(k+1) - sum of the k smallest)."""
    views = [view / view.max() for view in views]
    rows, graphs = das_rows(views, n_anchors, "text"), []
    for view in views:
        d = ((view[:, None] - view[rows]) ** 2).sum(axis=2)
        ordered = np.sort(d, axis=1)
        last = ordered[:, NEIGHBORS : NEIGHBORS + 1]
        total = NEIGHBORS * last - ordered[:, :NEIGHBORS].sum(axis=1, keepdims=True)
        graphs.append(np.maximum(last - d, 0) / np.where(total > 0, total, 1))
    return np.hstack(graphs)


def predicted(at: Point, folder: Path) -> dict[str, Any]:
    """Scores of the predictions of all rows."""
    views, labels = load(at["data"], folder)
    table = np.hstack(views) if at["features"] == "views" else anchor_graphs(views, at["n_anchors"])
    model = make_pipeline(StandardScaler(), CLASSIFIERS[at["classifier"]]())
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return {"scores": scores(labels, cross_val_predict(model, table, labels, cv=folds))}


def main() -> None:
    """Measure and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the .npz")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the journal")
    options = parser.parse_args()
    points = []
    for data, classifier in itertools.product(PAPER, CLASSIFIERS):
        features: list[Point] = [{"features": "views"}]
        features += [{"features": "graphs", "n_anchors": m} for m in (PAPER[data]["n_anchors"], 100)]
        points += [{"data": data, "classifier": classifier, **of} for of in features]
    here = [at for at in points if present(at["data"], options.data)]
    run(options.out / "paper-ceiling.jsonl", here, lambda at: predicted(at, options.data))


if __name__ == "__main__":
    main()
