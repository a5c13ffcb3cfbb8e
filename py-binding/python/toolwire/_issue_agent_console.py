"""The console's command ``toolwire issue-agent``: an issue analyzed, and a record summed up."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import sys
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolwire._console import DONE, REFUSED, FailedError, complain, safe, safe_line, written

if TYPE_CHECKING:
    from toolwire.issue_agent.github import GitHubClient
    from toolwire.issue_agent.llm import OpenAIModel

RECORD_FILE = "intelligent_dispatch_results.json"
DEFAULT_MODEL = "gpt-4o-mini"
DEFAULT_ACTIONS = ("add_label", "add_comment", "request_info")

RUN_EPILOG = """\
The issue comes from the event that GitHub Actions left (GITHUB_EVENT_PATH), from --event, or from GitHub
by --issue. The tools are a search for similar issues, and those of --tools: MODULE:NAME
is a dict or a ToolRegistry of yours. Labels and one comment are allowed; --allow adds others. A second run on
the same issue or comment adds nothing.

environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_EVENT_NAME,
GITHUB_STEP_SUMMARY; OPENAI_API_KEY, OPENAI_BASE_URL, or AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY,
OPENAI_API_VERSION; TOOLWIRE_MODEL

examples:
  toolwire issue-agent run --repo octo/repo --issue 7 --dry-run
  toolwire issue-agent run --event event.json --tools mytools:registry --allow close_issue

exit status: 0 done, or nothing to do; 1 an action or the analysis failed; 2 wrong usage, or what is needed
cannot be read or reached
"""

SUMMARIZE_EPILOG = """\
examples:
  toolwire issue-agent summarize intelligent_dispatch_results.json
  toolwire issue-agent summarize --max-tokens 500 intelligent_dispatch_results.json
  toolwire issue-agent summarize --json intelligent_dispatch_results.json | jq .success_rate

exit status: 0 done; 1 a tool, an action or the analysis failed; 2 the file cannot be read, or is no record
"""


def read_event(name: str) -> dict[str, Any]:
    """Read the file of an event, as GitHub sends it to a webhook."""
    try:
        event = json.loads(Path(name).read_bytes())
    except OSError as error:
        raise FailedError(f"cannot read {name}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise FailedError(f"{name} is not JSON: {error}") from None
    if not isinstance(event, dict):
        raise FailedError(f"{name}: an event is an object")
    return event


class Task:
    """What is to be analyzed: an issue of a repository, and the comment that asks, if one does."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        given = arguments.event is not None
        path = arguments.event or (os.environ.get("GITHUB_EVENT_PATH") if arguments.issue is None else None)
        event = read_event(path) if path else {}
        self.issue: Any = event.get("issue")
        self.comment: Any = event.get("comment")
        if given and not isinstance(self.issue, dict):
            raise FailedError(f"{path}: there is no issue in this event")
        repository = event.get("repository")
        named = repository.get("full_name") if isinstance(repository, dict) else None
        repository = arguments.repo or named or os.environ.get("GITHUB_REPOSITORY")
        if not isinstance(repository, str):
            raise FailedError("which repository? Give --repo OWNER/NAME, or set GITHUB_REPOSITORY")
        self.repository: str = repository
        number = self.issue.get("number") if isinstance(self.issue, dict) else None
        if arguments.issue is not None and arguments.issue != number:
            self.issue, self.comment, number = None, None, arguments.issue
        if not isinstance(number, int):
            raise FailedError("which issue? Give --issue N, or --event FILE")
        self.number: int = number
        self.event_name = os.environ.get("GITHUB_EVENT_NAME", "") if event else ""
        self.event_action = str(event.get("action") or "")

    @property
    def marker_key(self) -> str:
        """What tells one answer from another."""
        comment = self.comment.get("id") if isinstance(self.comment, dict) else None
        return f"comment-{comment}" if isinstance(comment, int) else f"issue-{self.number}"


def own_tools(name: str | None) -> dict[str, Any]:
    """Give the tools that the user has written, by name."""
    if name is None:
        return {}
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise FailedError("--tools is MODULE:NAME")
    sys.path.insert(0, os.getcwd())
    try:
        tools = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        # It is the user's program, and may fail in any way.
        raise FailedError(f"--tools {name}: {type(error).__name__}: {error}") from None
    if isinstance(tools, Mapping):
        return dict(tools)
    if hasattr(tools, "names") and hasattr(tools, "get"):
        return {one: tools.get(one) for one in tools.names()}
    raise FailedError(f"--tools {name}: neither a dict nor a ToolRegistry")


def show_tool(name: str, seconds: float, success: bool) -> None:
    """Tell of a tool that has ended, on standard error."""
    complain(f"{name}: {'done' if success else 'failed'} in {seconds:.2f} s")


def make_github(task: Task, secrets: list[str]) -> GitHubClient:
    """Make the client that the environment asks for."""
    from toolwire.issue_agent.github import API_URL, GitHubClient
    from toolwire.issue_agent.issue import author

    writers = filter(None, (author(task.issue), author(task.comment)))
    try:
        return GitHubClient(
            task.repository,
            task.number,
            token=os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN"),
            api_url=os.environ.get("GITHUB_API_URL") or API_URL,
            marker_key=task.marker_key,
            mentions=writers,
            secrets=secrets,
        )
    except ValueError as error:
        raise FailedError(str(error)) from None


def make_model(name: str) -> OpenAIModel:
    """Make the model that the environment asks for."""
    import openai

    from toolwire.issue_agent.final_analyzer import ANALYSIS_SCHEMA
    from toolwire.issue_agent.llm import OpenAIModel

    try:
        return OpenAIModel(name, schema=ANALYSIS_SCHEMA)
    except openai.OpenAIError as error:
        raise FailedError(str(error)) from None


def run_until_done(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Run the agent, and end even if a tool does not let itself be cancelled; ``asyncio.run`` would wait."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        # What is left then is dropped without a word.
        loop.set_exception_handler(lambda *_: None)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def analyze(arguments: argparse.Namespace, task: Task, tools: dict[str, Any]) -> dict[str, Any]:
    """Analyze the issue; gives the record."""
    from toolwire.issue_agent import (
        ActionExecutor,
        Dispatcher,
        FinalAnalyzer,
        GitHubError,
        SimilarIssues,
        TriggerDecision,
        environment_secrets,
    )
    from toolwire.issue_agent.issue import author

    secrets = environment_secrets()
    model = make_model(arguments.model)
    async with make_github(task, secrets) as github:
        try:
            issue = task.issue if isinstance(task.issue, dict) else await github.get_issue()
        except GitHubError as error:
            raise FailedError(str(error)) from None

        async def trigger(issue_data: dict[str, Any], comment: dict[str, Any] | None) -> TriggerDecision:
            kind = "comment" if comment else "issue"
            writer = (comment or issue_data).get("user")
            if isinstance(writer, dict) and writer.get("type") == "Bot":
                return TriggerDecision(False, "written by a bot", kind)
            if await github.has_comment():
                return TriggerDecision(False, "answered before", kind)
            return TriggerDecision(True, f"a new {kind}", kind)

        actions = ActionExecutor(
            github,
            allowed_actions=[*DEFAULT_ACTIONS, *arguments.allow],
            allowed_labels=arguments.label,
            mentions=filter(None, [author(task.comment)]),
            secrets=secrets,
            dry_run=arguments.dry_run,
        )
        dispatcher = Dispatcher(
            {"similar_issues": SimilarIssues(github), **tools},
            concurrency=arguments.concurrency,
            timeout=arguments.timeout,
            analyzer=FinalAnalyzer(model, max_tokens=arguments.max_tokens, secrets=secrets),
            actions=actions,
            trigger=trigger,
            record=arguments.record,
            secrets=secrets,
            event_name=task.event_name,
            event_action=task.event_action,
            progress=show_tool,
        )
        try:
            return await dispatcher.analyze(issue, task.comment if isinstance(task.comment, dict) else None)
        finally:
            await model.aclose()


def run_agent(arguments: argparse.Namespace) -> int:
    """Run the agent on one issue."""
    from toolwire.issue_agent import MissingExtraError, environment_secrets
    from toolwire.issue_agent.comment import Redactor
    from toolwire.issue_agent.record import without_secrets

    task = Task(arguments)
    tools = own_tools(arguments.tools)
    try:
        record = run_until_done(analyze(arguments, task, tools))
    except MissingExtraError as error:
        raise FailedError(str(error)) from None
    except ImportError as error:
        raise FailedError(f"{error}: pip install 'toolwire[github,openai]'") from None
    except OSError as error:
        raise FailedError(f"cannot write {arguments.record}: {error.strerror or error}") from None
    record = without_secrets(record, Redactor(environment_secrets()))
    print_outcome(record)
    write_step_summary(record, task)
    return status_of(record)


def status_of(record: dict[str, Any]) -> int:
    """Give the exit status: failed actions count, and so does an analysis without a reply."""
    taken = record.get("actions_taken") or []
    failed = any(isinstance(one, dict) and not one.get("success") for one in taken)
    analysis = record.get("final_analysis") or {}
    lost = isinstance(analysis, dict) and str(analysis.get("summary", "")).startswith("Analysis failed: ")
    return REFUSED if record.get("error") or failed or lost else DONE


def print_outcome(record: dict[str, Any]) -> None:
    """Print what came of an analysis: a line each, none of which a runner takes for a command of its own."""
    decision = record.get("trigger_decision") or {}
    if not decision.get("should_trigger"):
        print(safe_line(f"nothing to do: {decision.get('reason') or record.get('error')}"))
    analysis = record.get("final_analysis")
    if isinstance(analysis, dict) and analysis:
        kind = f"{analysis.get('issue_type')}, severity {analysis.get('severity')}"
        print(safe_line(f"analysis: {kind}, confidence {analysis.get('confidence')}"))
        print(safe_line(f"summary: {analysis.get('summary')}"))
    for action in record.get("actions_taken") or []:
        done = "done" if action.get("success") else "failed"
        print(safe_line(f"{action.get('action')} ({done}): {action.get('details')}"))
    if record.get("error"):
        print(safe_line(f"error: {record['error']}"))


def write_step_summary(record: dict[str, Any], task: Task) -> None:
    """Add to the page that GitHub Actions shows of a step."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from toolwire.issue_agent.comment import publishable

    analysis = record.get("final_analysis")
    summary = str(analysis.get("summary", "")) if isinstance(analysis, dict) else ""
    lines = [f"### Issue {task.number} of {task.repository}", "", summary, ""]
    for action in record.get("actions_taken") or []:
        mark = "done" if action.get("success") else "failed"
        lines.append(f"- {action.get('action')} ({mark}): {action.get('details')}")
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(publishable("\n".join(lines)).text + "\n")
    except OSError as error:
        complain(f"cannot write {path}: {error.strerror or error}")


def result_of(entry: Any) -> Any:
    """Read a tool's result of a record; what is odd in it is a failure, not an error."""
    from toolwire import ToolResult

    if not isinstance(entry, dict):
        return ToolResult("unknown", False, {}, "this is no result")
    data = entry.get("data")
    confidence = entry.get("confidence")
    return ToolResult(
        tool=str(entry.get("tool")),
        success=entry.get("success") is True,
        data=data if isinstance(data, dict) else {},
        error_message=None if entry.get("error_message") is None else str(entry["error_message"]),
        confidence=confidence if isinstance(confidence, (int, float)) else 0.0,
    )


def run_summarize(arguments: argparse.Namespace) -> int:
    """Sum a record up."""
    from toolwire import Report, results_summary
    from toolwire.issue_agent.record import read_record

    try:
        record = read_record(arguments.file)
    except OSError as error:
        raise FailedError(f"cannot read {arguments.file}: {error.strerror or error}") from None
    except ValueError as error:
        raise FailedError(f"{arguments.file}: {error}") from None
    results = [result_of(entry) for entry in record["tool_results"]]
    report = Report(results)
    if arguments.json:
        figures = {name: value for name, value in report.to_dict().items() if name != "results"}
        print(written(figures))
    else:
        print(safe(results_summary(results, max_tokens=arguments.max_tokens)))
        print_outcome(record)
        print(f"{report.succeeded} of {report.total} tools succeeded")
    return REFUSED if report.failed else status_of(record)


def positive(text: str) -> int:
    """Read a number of the command line, from 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def seconds(text: str) -> float:
    """Read a time of the command line."""
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    raw = argparse.RawDescriptionHelpFormatter
    help_ = "analyze an issue on GitHub, and answer it"
    agent = commands.add_parser("issue-agent", help=help_, description="Analyze issues on GitHub.")
    steps = agent.add_subparsers(title="commands", required=True, metavar="COMMAND")
    run = steps.add_parser(
        "run",
        help=help_,
        description="Analyze an issue on GitHub, and answer it.",
        epilog=RUN_EPILOG,
        formatter_class=raw,
    )
    run.add_argument("--repo", metavar="OWNER/NAME", help="the repository; GITHUB_REPOSITORY by default")
    run.add_argument("--issue", type=positive, metavar="N", help="the number of the issue")
    run.add_argument("--event", metavar="FILE", help="an event of GitHub's; GITHUB_EVENT_PATH by default")
    run.add_argument("--dry-run", action="store_true", help="change nothing on GitHub")
    run.add_argument("--tools", metavar="MODULE:NAME", help="tools of yours, a dict or a ToolRegistry")
    run.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("assign_user", "close_issue"),
        help="an action that is allowed besides labels and the comment; may be repeated",
    )
    run.add_argument(
        "--label", action="append", metavar="NAME", help="a label that may be added; any by default"
    )
    run.add_argument(
        "--model",
        default=os.environ.get("TOOLWIRE_MODEL") or DEFAULT_MODEL,
        metavar="NAME",
        help=f"the model, or Azure's deployment; TOOLWIRE_MODEL or {DEFAULT_MODEL} by default",
    )
    run.add_argument("--record", default=RECORD_FILE, metavar="FILE", help=f"{RECORD_FILE} by default")
    run.add_argument("--concurrency", type=positive, default=8, metavar="N", help="tools at a time; 8")
    run.add_argument("--timeout", type=seconds, default=60.0, metavar="SECONDS", help="for each tool; 60")
    run.add_argument(
        "--max-tokens", type=positive, default=8000, metavar="N", help="of results in the prompt; 8000"
    )
    run.set_defaults(run=run_agent)

    help_ = "sum up the tool results of a record"
    summarize = steps.add_parser(
        "summarize",
        help=help_,
        description="Sum up the tool results of a record.",
        epilog=SUMMARIZE_EPILOG,
        formatter_class=raw,
    )
    summarize.add_argument("file", nargs="?", default=RECORD_FILE, metavar="FILE", help="the record")
    shown = summarize.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print figures as one JSON object")
    shown.add_argument("--max-tokens", type=positive, metavar="N", help="leave out what is more")
    summarize.set_defaults(run=run_summarize)
