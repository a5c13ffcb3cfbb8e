"""The result of a run as the message that tells the model."""

from __future__ import annotations

from collections.abc import Mapping

from toolwire._native import ProviderItem, ProviderResult, ToolCall, dump_answer, parse
from toolwire._native import dump as dump_item

# The module typing takes as long to import as all of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable
    from typing import Any

    from toolwire._stubs.words import _Provider

__all__ = ["dump"]


class Call:
    """The call that is answered; without a ``format``, ``id_given`` says to keep the id."""

    def __init__(self, id: str, id_given: bool, tool: str, format: str | None = None) -> None:
        self.id = id
        self.id_given = id_given
        self.tool = tool
        self.format = format


def dump(
    item: Any,
    provider: _Provider,
    call: Any = None,
    *,
    max_bytes: int | None = None,
    secret_keys: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Write a call, a result, or what a run of a tool gave, in the provider's form.

    >>> import toolwire
    >>> from toolwire.tools import ToolOutput
    >>> block = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
    >>> toolwire.provider.dump(ToolOutput.fail("no such city"), "anthropic", block)["is_error"]
    True

    ``item`` is a :class:`toolwire.ToolCall`, a :class:`ProviderResult`, a :class:`ProviderItem`,
    which only its own provider takes back, or with ``call`` an
    ``ExecutionResult``, a ``Run``, a ``ToolOutput`` or an exception. ``call`` is what the executor
    was given, or the id of the call. The message has at most ``max_bytes`` of the result, by
    default 256 KiB, and none of its secrets; ``secret_keys`` are the keys whose values are secret,
    in place of the usual ones. An unresolved call is its own answer.
    """
    if isinstance(item, ToolCall | ProviderResult | ProviderItem) and call is None:
        return dump_item(item, provider)
    ended = ending(item)
    if ended is None or (call is None and not hasattr(item, "call_id")):
        if ended is not None:
            raise TypeError("dump() needs the call that a result answers")
        return dump_item(item, provider)
    keys = None if secret_keys is None else list(secret_keys)
    answered = called(item if call is None else call)
    written: dict[str, Any] = dump_answer(answered, *ended, provider, max_bytes, keys)
    return written


def ending(item: Any) -> tuple[str, Any, str | None] | None:
    """Give the state, the data and the error of what a run gave; None for anything else."""
    if isinstance(item, BaseException):
        return of_error(item, None)
    if hasattr(item, "output_gap") and hasattr(item, "state"):
        return of_run(item)
    if hasattr(item, "was_denied") and hasattr(item, "output"):
        output = item.output
        data = getattr(output, "data", None)
        if item.success:
            return "completed", data, None
        problems = getattr(item, "problems", None)
        if problems is not None:
            return wrong_arguments(problems, item.denial_reason)
        return "failed", data, item.error or getattr(output, "error", None)
    if hasattr(item, "success") and hasattr(item, "data"):
        error = getattr(item, "error", None) or getattr(item, "error_message", None)
        return ("completed" if item.success else "failed"), item.data, error
    if hasattr(item, "call_id") and hasattr(item, "error"):
        return "failed", None, item.error
    return None


def of_run(run: Any) -> tuple[str, Any, str | None]:
    """Give the state, the data and the error of a run that a store keeps."""
    if run.state in ("waiting", "running"):
        return run.state, None, None
    if run.state == "approved":
        return "running", None, None
    if run.state in ("completed", "undone") and (
        run.output is None or run.output_gap == "not_json"
    ):
        return "not_shown", None, run.output_gap
    if run.output is not None:
        return ("completed" if run.output.success else "failed"), run.output.data, run.output.error
    return of_error(run.error, run.code)


def of_error(error: BaseException | None, code: str | None) -> tuple[str, Any, str | None]:
    """Give the state, the data and the error of a run that raised."""
    problems = getattr(error, "problems", None)
    if isinstance(problems, list):
        return wrong_arguments(problems, getattr(error, "code", code))
    return "failed", None, str(error or code)


def wrong_arguments(
    problems: list[dict[str, str]], code: str | None
) -> tuple[str, Any, str | None]:
    """Give the state of a run that its arguments stopped."""
    listed = [(problem["path"], problem["message"]) for problem in problems]
    return "wrong_arguments", listed, code or "invalid_input"


def called(call: Any) -> Call:
    """Read what the executor was given as the call that is answered."""
    if isinstance(call, str):
        return Call(call, True, "")
    if isinstance(call, ToolCall):
        return Call(call.id, call.id_given, call.name, call.format)
    raw = getattr(call, "raw", None)
    if isinstance(raw, ToolCall):
        return called(raw)
    found = parse(raw if isinstance(raw, Mapping) else call).calls if is_object(call, raw) else ()
    if len(found) == 1:
        return called(found[0])
    if isinstance(call, Mapping):
        return Call(shown(call.get("id")), False, str(call.get("type", "")))
    id = getattr(call, "call_id", None) or getattr(call, "id", None)
    name = getattr(call, "name", None) or getattr(call, "type", "")
    return Call(shown(id), False, str(name))


def is_object(call: Any, raw: Any) -> bool:
    """Say whether a call is a provider's object, or was resolved from one."""
    return isinstance(raw, Mapping) or (isinstance(call, Mapping) and "payload" not in call)


def shown(id: uuid.UUID | str | None) -> str:
    """Write an id as a text; no id is an empty one."""
    return "" if id is None else str(id)
