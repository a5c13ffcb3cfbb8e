"""What a program says of a call beside the call itself.

>>> from toolwire.runs.context import RunContext
>>> context = RunContext({"mode": "chat", "team": 7})
>>> context.mode, context["team"], context.parent_id
('chat', 7, None)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolwire._native import RunRecord

__all__ = ["RunContext", "mode_of", "parent_of"]


class RunContext(Mapping[str, Any]):
    """A program's own values, of which a few have a meaning here.

    ``mode`` is what a tool's ``modes`` are compared with. ``user_id`` is the caller, whose calls a
    rate limit counts. ``parent_id`` and ``request_id`` are told by events. These four are kept with
    a run. ``event_sink`` is where the events of this run go.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    @classmethod
    def of(cls, given: Any) -> Any:
        """Read a context; None stays None.

        Raises :class:`TypeError` for what is no mapping.
        """
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        raise TypeError(f"context must be a mapping of names to values, not {type(given).__name__}")

    @classmethod
    def restored(cls, record: RunRecord) -> RunContext:
        """Give what a store keeps of the context that a run began with."""
        return cls(
            {
                "mode": record.mode,
                "parent_id": record.parent_id,
                "request_id": record.request_id,
                "user_id": record.caller,
            }
        )

    @classmethod
    def reading(cls, context: Any) -> RunContext:
        """Read the context of an executor of another kind."""
        if isinstance(context, cls):
            return context
        to_dict = getattr(context, "to_dict", None)
        known = {
            "mode": mode_of(context),
            "parent_id": parent_of(context),
            "request_id": getattr(context, "request_id", None),
        }
        return cls({**({} if to_dict is None else to_dict()), **known})

    @property
    def mode(self) -> Any:
        """The mode of the program."""
        return self._values.get("mode")

    @property
    def parent_id(self) -> Any:
        """The id of what the run is part of."""
        return self._values.get("parent_id")

    @property
    def request_id(self) -> Any:
        """The id of the request."""
        return self._values.get("request_id")

    @property
    def user_id(self) -> Any:
        """The caller."""
        return self._values.get("user_id")

    @property
    def event_sink(self) -> Any:
        """Where the events of this run go."""
        return self._values.get("event_sink")

    def to_dict(self) -> dict[str, Any]:
        """Give a shallow copy of the values."""
        return dict(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"RunContext({', '.join(sorted(self._values))})"


def mode_of(context: Any) -> Any:
    """Give the mode in a context, which has it in stageflow's word or in its own."""
    theirs = getattr(context, "execution_mode", None)
    return getattr(context, "mode", None) if theirs is None else theirs


def parent_of(context: Any) -> Any:
    """Give the id of what a run is part of, in stageflow's word or in its own."""
    theirs = getattr(context, "pipeline_run_id", None)
    return getattr(context, "parent_id", None) if theirs is None else theirs
