"""The layouts of the interpreter's values, which the module compares when it is imported."""

import sys
import sysconfig

import pytest
from toolwire import _native


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the layouts are CPython's")
def test_values_are_read_in_place_where_the_layouts_are_known() -> None:
    if ".abi3." in str(_native.__file__):
        known = []
    elif sysconfig.get_config_var("Py_GIL_DISABLED") or sys.version_info < (3, 11):
        known = ["str"]
    else:
        known = ["str", "dict", "attributes"]
    assert _native.layouts() == known


@pytest.mark.skipif(sys.version_info < (3, 13), reason="only some newer versions have no lock")
def test_no_lock_is_taken_by_the_import() -> None:
    wanted = not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert sys._is_gil_enabled() == wanted  # type: ignore[attr-defined, unused-ignore]
