"""scikit-learn's whole battery of common checks in single-array form; LMVSC, SFMC, FMCNOF, CSMSC: in their files."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from manyview import AMGL, GMC, MVGL, SMSC, AnchorGraphClustering, SemiNTF
from recipes import QUICK

ESTIMATORS = [
    *(AnchorGraphClustering(n_clusters=3, recipe=QUICK, random_state=0, views=views) for views in (None, 2)),
    SemiNTF(n_clusters=3, recipe=QUICK, random_state=0, views=2),
    *(method(n_clusters=3, views=2) for method in (AMGL, GMC, MVGL, SMSC)),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::manyview.NoiseViewWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
