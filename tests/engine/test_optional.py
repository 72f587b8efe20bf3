"""Optional libraries: the module where it is installed, else an error that names the extra."""

import json.decoder

import pytest

from manyview.engine.optional import optional


def test_installed_module_is_imported():
    assert optional("json.decoder", extra="files", use="Reading") is json.decoder


def test_missing_library_is_an_error_that_names_the_extra():
    with pytest.raises(ImportError, match=r"Reading needs no_such_library: pip install 'manyview\[files\]'"):
        optional("no_such_library.part", extra="files", use="Reading")
