import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from manyview.cluster.amgl import AMGL
from manyview.cluster.mvgl import MVGL
from manyview.cluster.published import contiguous, warn_component_count, warn_empty_clusters, warn_isolated_samples


def three_distinct_rows(n=60):
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 3
    return [rng.standard_normal((3, d))[labels] for d in (5, 4)], labels


def test_contiguous_labels_keep_their_order():
    assert_array_equal(contiguous(np.array([7, 2, 2, 9])), [1, 0, 0, 2])


@pytest.mark.parametrize("method", [AMGL(3, random_state=0), MVGL(3)], ids=["AMGL", "MVGL"])
def test_duplicates_without_neighbors_are_a_warning(method):
    with pytest.warns(ConvergenceWarning, match="60 of 60 samples have no nearest neighbors in any view"):
        method.fit(three_distinct_rows()[0])


@pytest.mark.parametrize("options", [{"local": True}, {"variant": "paper"}, {"variant": "paper", "local": True}])
def test_duplicates_are_clusters_where_equal_samples_attract_each_other(options):
    views, labels = three_distinct_rows()
    assert_array_equal(MVGL(3, **options).fit(views).labels_, labels)


def test_more_neighbors_than_duplicates():
    views, labels = three_distinct_rows()
    model = AMGL(3, n_neighbors=25, random_state=0).fit(views)
    assert len(np.unique(np.stack([labels, model.labels_]), axis=1).T) == 3


def test_a_sample_with_an_edge_in_some_view_is_not_isolated():
    edge, empty = sp.csr_array(([1.0], ([0], [1])), shape=(3, 3)), sp.csr_array((3, 3))
    with pytest.warns(ConvergenceWarning, match="1 of 3 samples"):
        warn_isolated_samples(AMGL(), [empty, edge])
    warn_isolated_samples(AMGL(), [sp.csr_array(np.eye(3)), empty])


def test_counts_as_asked_for_are_no_warning():
    warn_component_count(AMGL(4), 4)
    warn_empty_clusters(AMGL(4), 4)
    with pytest.warns(ConvergenceWarning, match="3 connected components"):
        warn_component_count(AMGL(4), 3)
    with pytest.warns(ConvergenceWarning, match="only 3 of n_clusters=4"):
        warn_empty_clusters(AMGL(4), 3)
