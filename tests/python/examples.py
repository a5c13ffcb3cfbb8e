"""Runs the examples of a docstring."""

import doctest
from collections.abc import Mapping


def fails(doc: str, name: str, names: Mapping[str, object]) -> str:
    """Give what is wrong with the examples of a docstring; nothing when they are true."""
    test = doctest.DocTestParser().get_doctest(doc, dict(names), name, None, None)
    problems: list[str] = []
    # The module in which an exception's class is looked up does not matter.
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test, out=problems.append)
    return "".join(problems)
