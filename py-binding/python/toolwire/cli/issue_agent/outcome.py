"""The outcome of a record of the issue agent, printed for a person, and the exit status."""

from __future__ import annotations

import os
from typing import Any

from toolwire.cli.issue_agent.log import tell, tell_comment, warn
from toolwire.cli.issue_agent.task import Task
from toolwire.cli.terminal import DONE, REFUSED
from toolwire.issue_agent.actions import UNKNOWN_LABEL


def status_of(record: dict[str, Any]) -> int:
    """Give the exit status: failed actions count, and so does an analysis without a reply."""
    taken = record.get("actions_taken") or []
    failed = any(
        isinstance(one, dict) and not one.get("success") and not is_note(one) for one in taken
    )
    return REFUSED if record.get("error") or failed or is_live_failure(record) else DONE


def is_note(action: dict[str, Any]) -> bool:
    """Say whether an action was left out without a failure: its label does not exist."""
    return action.get("code") == UNKNOWN_LABEL


def is_live_failure(record: dict[str, Any]) -> bool:
    """Say whether a record has the analysis that the live agent makes when the model fails.

    That analysis has no ``detailed_analysis`` and a confidence of 0. Its summary proves nothing: a
    model may write the same.
    """
    analysis = record.get("final_analysis")
    return (
        isinstance(analysis, dict)
        and analysis.get("issue_type") == "unknown"
        and analysis.get("confidence") == 0
        and "detailed_analysis" not in analysis
    )


def read_analysis(record: dict[str, Any]) -> dict[str, Any] | None:
    """Give the analysis of a record; None where there is none, or its types are wrong."""
    analysis = record.get("final_analysis")
    if not isinstance(analysis, dict):
        return None
    texts = all(isinstance(analysis.get(key), str) for key in ("issue_type", "severity", "summary"))
    return analysis if texts and isinstance(analysis.get("confidence"), (int, float)) else None


def told_action(action: Any) -> str | None:
    """Give an action of a record in one line, with its code."""
    if not isinstance(action, dict):
        return None
    mark = "done" if action.get("success") else "note" if is_note(action) else "failed"
    code = f", {action['code']}" if isinstance(action.get("code"), str) else ""
    return f"{action.get('action')} ({mark}{code}): {action.get('details')}"


def print_outcome(record: dict[str, Any]) -> None:
    """Print the outcome of an analysis, one line each, and the comment of a dry run."""
    decision = record.get("trigger_decision") or {}
    if not decision.get("should_trigger"):
        tell(f"nothing to do: {decision.get('reason') or record.get('error')}")
    analysis = read_analysis(record)
    if analysis is not None:
        kind = f"{analysis['issue_type']}, severity {analysis['severity']}"
        tell(f"analysis: {kind}, confidence {analysis['confidence']}")
        tell(f"summary: {analysis['summary']}")
    for action in record.get("actions_taken") or []:
        told = told_action(action)
        if told is not None:
            tell(told)
            if isinstance(action.get("comment"), str):
                tell_comment(action["comment"])
    if record.get("error"):
        tell(f"error: {record['error']}")


def write_step_summary(record: dict[str, Any], task: Task) -> None:
    """Add to the page that GitHub Actions shows of a step."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from toolwire.issue_agent.comment import publishable

    summary = (read_analysis(record) or {}).get("summary", "")
    lines = [f"### Issue {task.number} of {task.repository}", "", summary, ""]
    told = map(told_action, record.get("actions_taken") or [])
    lines += [f"- {line}" for line in told if line is not None]
    if record.get("error"):
        lines += ["", f"The run failed: {record['error']}"]
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(publishable("\n".join(lines)).text + "\n")
    except OSError as error:
        warn(f"cannot write {path}: {error.strerror or error}")
