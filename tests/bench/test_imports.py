import pytest
from sklearn.cluster import KMeans

import manyview.datasets
from manyview.bench.imports import import_object, is_import_string, module_of


@pytest.mark.parametrize(
    ("text", "valid"),
    [("a:b", True), ("a.b:C.d", True), ("a", False), ("a:", False), (":b", False), ("a b:c", False), ("a:b:c", False)],
)
def test_the_form_of_import_strings(text, valid):
    assert is_import_string(text) is valid


def test_objects_and_their_attributes_are_found():
    assert import_object("sklearn.cluster:KMeans", default_module="os") is KMeans
    assert import_object("sklearn.cluster:KMeans.fit", default_module="os") is KMeans.fit
    assert import_object("make_views", default_module="manyview.datasets") is manyview.datasets.make_views
    assert (module_of("a.b:c"), module_of("c")) == ("a.b", None)
