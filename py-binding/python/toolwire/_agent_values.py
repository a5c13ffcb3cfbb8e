"""What an agent takes and gives: limits, answers, events.

>>> from toolwire._agent_values import AgentLimits
>>> AgentLimits(turns=5).same_call
3
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from toolwire.runs.run import Run

__all__ = ["AgentEvent", "AgentLimits", "Answer"]


@dataclass(frozen=True)
class AgentLimits:
    """How much an agent may do for one text of its user, counted from what the store keeps."""

    turns: int = 20
    calls: int = 50
    tokens: int | None = None
    seconds: int = 600
    repairs: int = 3
    same_call: int = 3


@dataclass(frozen=True)
class Answer:
    """What an agent gives for a text.

    ``state`` is ``done``, ``waiting`` while calls have no result, or ``stopped`` at a limit, which
    ``reason`` names. ``waiting`` are the runs of those calls. ``cut_off`` says that the model's
    message ends at its limit of tokens. The tokens are those of the whole conversation.
    """

    state: Literal["done", "waiting", "stopped"]
    text: str
    reasoning: str
    cut_off: bool = False
    waiting: list[Run] = field(default_factory=list)
    reason: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class AgentEvent:
    """Something that happened in a conversation: its ``type``, and what is known of it.

    The types are ``user``, ``reasoning``, ``text``, ``retracted``, ``call``, ``rejected``,
    ``waiting``, ``result``, ``usage``; ``data`` has the number of the ``message``. The last one of
    a stream is the state of the ``answer``: ``done``, ``waiting`` or ``stopped``.
    """

    type: str
    data: dict[str, Any]
    answer: Answer | None = None
