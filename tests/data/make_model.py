"""Write the fixture ``model-0.1.manyview``: a model as version 0.1 saves it, which every later version opens.

Run ``python tests/data/make_model.py`` with the version whose format is to be kept; never again for a later one.
"""

from pathlib import Path

import pandas as pd

from manyview import AnchorGraphClustering
from manyview.datasets import make_views

PLACE = Path(__file__).with_name("model-0.1.manyview")


def frames():
    """Two frames with ids: numbers, and numbers beside a category; 60 samples in 3 clusters far from each other."""
    data = make_views(n_samples=60, n_clusters=3, widths=(3, 4), separation=8.0, random_state=0)
    ids = [f"s{i:02d}" for i in range(60)]
    image, clinic = (
        pd.DataFrame(view.round(3), index=ids, columns=[f"{name}_{j}" for j in range(view.shape[1])])
        for name, view in zip(("image", "clinic"), data.views.values(), strict=True)
    )
    clinic["stage"] = pd.Categorical([("I", "II", "III")[label] for label in data.labels])
    return {"image": image, "clinic": clinic}, data.labels


if __name__ == "__main__":
    AnchorGraphClustering(n_clusters=3, random_state=0).fit(frames()[0]).save(PLACE)
