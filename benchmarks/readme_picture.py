"""Draw the picture of the README: the digits without labels, and how many of each cluster show which digit."""

from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import numpy as np

from manyview import AnchorGraphClustering
from manyview.datasets import load_digits_views
from manyview.plotting import ContingencyDisplay, MapDisplay

PLACE = Path(__file__).resolve().parents[1] / "docs" / "_static" / "digits.png"


def draw(place: Path = PLACE) -> Path:
    """Write the picture, and return its path."""
    data = load_digits_views()
    rows = np.random.default_rng(0).permutation(data.n_samples)
    views = {name: table[rows] for name, table in data.views.items()}
    model = AnchorGraphClustering(n_clusters=10, random_state=0).fit(views)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4), width_ratios=(1.2, 1), layout="constrained")
    MapDisplay.from_estimator(model, views, ax=left)
    left.set(title="1,797 digits, placed and colored without labels", xlabel="")
    ContingencyDisplay.from_estimator(model, np.asarray(data.labels)[rows], ax=right)
    right.set(title="what is in the clusters", ylabel="digit")
    figure.savefig(place, dpi=80)
    return place


if __name__ == "__main__":
    print(draw())
