"""The terminal tables without known classes; with them they are tested in test_demo."""

from manyview import SemiNTF
from manyview.cli.tables import show
from manyview.datasets import make_views
from manyview.report import summarize


def test_without_classes_there_are_no_scores_and_no_class_columns(capsys):
    data = make_views(n_samples=60, n_clusters=2, random_state=0)
    model = SemiNTF(n_clusters=2, random_state=0).fit(data.views)
    show(summarize(model))
    shown = capsys.readouterr().out
    assert "main class" not in shown
    assert "ACC" not in shown
    assert "seconds" not in shown
    assert f"{model.n_iter_} (converged)" in shown
    assert all(name in shown for name in data.views)
