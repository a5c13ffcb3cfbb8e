"""Runs the examples of docstrings, and finds the names that have no docstring."""

import doctest
import inspect
import re
from collections.abc import Mapping
from types import GenericAlias, ModuleType
from typing import Any


def fails(doc: str, name: str, names: Mapping[str, object]) -> str:
    """Run the examples of a docstring; give what is wrong, or an empty text."""
    test = doctest.DocTestParser().get_doctest(doc, dict(names), name, None, None)
    problems: list[str] = []
    # An exception may be named without its module.
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test, out=problems.append)
    return "".join(problems)


def documented(module: ModuleType) -> dict[str, Any]:
    """Give a module, its public names and the public methods of its classes; each has a docstring.

    A member that is no method has no examples: only its docstring is looked for.
    """
    found: dict[str, Any] = {module.__name__.rpartition(".")[2]: module}
    for name in module.__all__:
        value = getattr(module, name)
        found[name] = value
        if inspect.isclass(value):
            for member, attribute in vars(value).items():
                if member.startswith("_"):
                    continue
                if callable(attribute):
                    found[f"{name}.{member}"] = attribute
                else:
                    assert attribute.__doc__, f"{name}.{member}"
    return found


def undocumented(module: ModuleType) -> list[str]:
    """Give the public classes and functions of a module whose docstrings are no sentence."""
    return [
        f"{module.__name__}.{name}"
        for name in module.__all__
        if inspect.isclass(value := getattr(module, name)) or inspect.isfunction(value)
        # To Python 3.10 an alias such as `Callable[..., Any]` is a class.
        if not isinstance(value, GenericAlias)
        if not re.match(r"[A-Z][^\n]*", inspect.getdoc(value) or "")
    ]
