"""What a client is answered: the outcome of a run, or what it waits for.

>>> from toolwire.mcp.answer import answer_of
>>> from toolwire.runs import ToolOutput
>>> from toolwire.runs.run import Run
>>> answer = answer_of(Run("r1", "completed", "add", output=ToolOutput.ok({"sum": 3})))
>>> answer.structured_content, answer.content[0].text, answer.is_error
({'sum': 3}, '{"sum": 3}', False)
"""

from __future__ import annotations

import json
from typing import Any

from mcp_types import CallToolResult, TextContent

from toolwire._answer import dump
from toolwire._native import Secrets
from toolwire.runs.run import Run

__all__ = ["MOST_BYTES", "RESUME", "STATUS", "answer_of", "facts_of"]

STATUS, RESUME = "toolwire_status", "toolwire_resume"

MOST_BYTES = 256 * 1024
"""The longest data of an answer, as JSON: it is sent twice, and clients refuse a megabyte."""


def answer_of(run: Run) -> CallToolResult:
    """Give the answer for a run as it stands."""
    if run.state != "completed":
        return _unfinished(run)
    output = run.output
    if output is None:
        return _failure(run, f"the tool ran; its output is not in the store ({run.output_gap})")
    if not output.success:
        return _failure(run, output.error or "the tool failed")
    try:
        text = json.dumps(output.data, ensure_ascii=False, allow_nan=False)
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return _failure(run, "the tool ran; its output is no JSON, and cannot be sent", "not_json")
    size = len(text.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        told = f"the tool ran; its output has {size:,} bytes, and {MOST_BYTES:,} can be sent"
        return _failure(run, told, "too_long")
    # Text is more use to a model without the quotes of JSON.
    shown = data if isinstance(data, str) else text
    # Before 2026 the protocol took objects only.
    structured = data if isinstance(data, dict) else {"result": data}
    return CallToolResult(
        content=[TextContent(type="text", text=shown)], structured_content=structured
    )


def facts_of(run: Run) -> dict[str, Any]:
    """Give how a run stands, for a client: no output, and no secret."""
    facts = {
        "run": run.id,
        "state": run.state,
        "tool": run.tool,
        "approval": run.approval_id,
        "code": run.code,
        "error": None if run.error is None else Secrets().mask(str(run.error)),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _unfinished(run: Run) -> CallToolResult:
    if run.error is not None:
        # The client's model is told of its arguments as the model of any other provider is.
        told = dump(run, "mcp", str(run.id))["result"]["content"][0]["text"]
        return _failure(run, told)
    if run.state == "waiting":
        told = (
            f"A person has to approve this call of {run.tool}; nothing has run yet. "
            f"Its run is {run.id}. Call {RESUME} with it after the decision."
        )
    elif run.state == "approved":
        told = (
            f"This call of {run.tool} is approved, and nothing has run yet. Its run is {run.id}. "
            f"Call {RESUME} with it."
        )
    else:
        told = f"The call of {run.tool} is {run.state}. Its run is {run.id}; {STATUS} asks for it."
    return CallToolResult(
        content=[TextContent(type="text", text=told)], structured_content=facts_of(run)
    )


def _failure(run: Run, told: str, code: str | None = None) -> CallToolResult:
    facts = facts_of(run)
    masked = Secrets().mask(told)
    facts["error"] = masked
    if code is not None:
        facts["code"] = code
    return CallToolResult(
        content=[TextContent(type="text", text=masked)], structured_content=facts, is_error=True
    )
