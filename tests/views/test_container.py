import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_score, train_test_split

from manyview.views import Views

N = 20


@pytest.fixture
def views():
    """Dense and sparse; the first column of either says which row it is."""
    number = np.arange(N, dtype=float)[:, None] + 1
    return Views(
        [np.hstack([number, -number]), sp.csr_array(np.hstack([number, number % 3, number * 0]))],
        names=["image", "text"],
        ids=[f"id{i}" for i in range(N)],
    )


def rows_of(views):
    """Row numbers as every table and the ids have them; they must agree."""
    image, text = views.tables
    from_image, from_text = image[:, 0].astype(int) - 1, text[:, [0]].toarray().ravel().astype(int) - 1
    assert_array_equal(from_image, from_text)
    assert_array_equal(views.ids, [f"id{i}" for i in from_image])
    return from_image.tolist()


def test_length_is_the_number_of_samples(views):
    assert len(views) == views.n_samples == N
    assert views.widths == (2, 3)
    assert views.shape == (N, 5)
    assert repr(views) == "Views(20 samples with ids; {'image': 2, 'text': 3})"


@pytest.mark.parametrize(
    "index, expected",
    [
        (slice(3, 6), [3, 4, 5]),
        (slice(None, None, 7), [0, 7, 14]),
        ([5, 2, 2], [5, 2, 2]),
        (np.array([1, 19]), [1, 19]),
        (np.arange(N) % 10 == 4, [4, 14]),
        (0, [0]),
        (np.int64(7), [7]),
        (-1, [19]),
        (-4, [16]),
        ((np.array([8, 3]), Ellipsis), [8, 3]),
    ],
    ids=["slice", "stride", "list", "array", "mask", "int", "numpy int", "last", "negative", "as scikit-learn asks"],
)
def test_indexing_takes_rows_of_all_tables_and_ids(views, index, expected):
    part = views[index]
    assert isinstance(part, Views)
    assert part.names == ("image", "text")
    assert rows_of(part) == expected


def test_a_part_of_a_part(views):
    assert rows_of(views[10:][[3, 1]]) == [13, 11]


def test_train_test_split_cuts_all_views_alike(views):
    y = np.arange(N)
    train, test, y_train, y_test = train_test_split(views, y, test_size=0.3, random_state=0)
    assert rows_of(train) == y_train.tolist()
    assert rows_of(test) == y_test.tolist()
    assert sorted(rows_of(train) + rows_of(test)) == list(range(N))


@pytest.mark.parametrize("splitter", [KFold(4), ShuffleSplit(3, random_state=0)], ids=["folds", "shuffles"])
def test_splitters_see_the_samples(views, splitter):
    for train, test in splitter.split(views):
        assert rows_of(views[train]) == train.tolist()
        assert rows_of(views[test]) == test.tolist()


class RowWitness(BaseEstimator):
    """The least that a search needs; it is best at power 2, and sees to it that rows arrive as Views."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y=None):
        assert isinstance(X, Views)
        self.seen_ = rows_of(X)
        return self

    def score(self, X, y=None):
        assert isinstance(X, Views)
        assert not set(rows_of(X)) & set(self.seen_)
        return -abs(self.power - 2)


def test_grid_search_and_cross_validation_take_views(views):
    search = GridSearchCV(RowWitness(), {"power": [1, 2, 3]}, cv=KFold(4)).fit(views)
    assert search.best_params_ == {"power": 2}
    assert search.best_estimator_.seen_ == list(range(N))
    assert_array_equal(cross_val_score(RowWitness(), views, cv=KFold(5)), [-1] * 5)


def test_iteration_is_refused_because_it_could_mean_two_things(views):
    with pytest.raises(TypeError, match="not iterable"):
        list(views)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([],), "at least one table"),
        (([np.ones((3, 1))], ["a", "b"]), "1 tables but 2 names"),
        (([np.ones((3, 1))] * 2, ["a", "a"]), r"names must differ; got \['a', 'a'\]"),
        (([np.ones((3, 1)), np.ones((4, 1))], ["a", "b"]), "View 'b' has 4 rows but view 'a' has 3"),
        (([np.ones((3, 1))], ["a"], [1, 2]), "2 ids for 3 samples"),
    ],
    ids=["no table", "names", "same name", "lengths", "ids"],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Views(*arguments)


def test_names_by_position():
    assert Views([np.ones((2, 1))] * 3).names == ("view 0", "view 1", "view 2")
