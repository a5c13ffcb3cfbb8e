"""The exceptions of Toolwire: one base, one class for each class of mistakes.

They are raised for misuse by the programmer only, never for what a model wrote.
"""

from __future__ import annotations


class ToolwireError(Exception):
    """A programmer's mistake.

    ``kind`` is its stable slug and ``number`` its stable number; neither is ever reused.

    >>> import toolwire
    >>> try:
    ...     toolwire.detect("text", colour="red")
    ... except toolwire.ToolwireError as error:
    ...     print(error.kind, error.number)
    unknown_option 1
    """

    kind: str
    number: int

    def __init__(self, message: str, kind: str, number: int) -> None:
        super().__init__(message, kind, number)
        self.kind = kind
        self.number = number

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidArgumentError(ToolwireError, ValueError):
    """An option or argument has a value that is not allowed."""


class WrongTypeError(ToolwireError, TypeError):
    """An option or argument is of the wrong type."""


class InvalidStateError(ToolwireError, RuntimeError):
    """A call came at the wrong time."""


for _class in (ToolwireError, InvalidArgumentError, WrongTypeError, InvalidStateError):
    _class.__module__ = "toolwire"
del _class
