"""Plugin of pytest: who imports ``stageflow.tools`` gets ``toolwire.tools``.

The rest of stageflow, which imports its tools too, stays as it is.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

THEIRS, OURS = "stageflow.tools", "toolwire.tools"


class Swap(MetaPathFinder, Loader):
    """Finds and loads the modules of ``stageflow.tools``: each is ours."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Give the spec of a module of ours under the name of theirs."""
        if name != THEIRS and not name.startswith(f"{THEIRS}."):
            return None
        return ModuleSpec(name, self, is_package=name == THEIRS)

    def exec_module(self, module: ModuleType) -> None:
        """Put our module where the import looks for the loaded one."""
        sys.modules[module.__name__] = importlib.import_module(
            OURS + module.__name__.removeprefix(THEIRS)
        )


sys.meta_path.insert(0, Swap())


def pytest_sessionstart() -> None:
    """Fail at once if the tests would test stageflow's own tools."""
    executor = importlib.import_module(f"{THEIRS}.executor")
    if executor.ToolExecutor.__module__ != f"{OURS}.executor":
        raise pytest.UsageError(f"{THEIRS} is not {OURS}")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine, as pytest-asyncio does."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
    asyncio.run(test(**given))
    return True
