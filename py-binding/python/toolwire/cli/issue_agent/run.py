"""One run of the issue agent, put together from the command line and the environment."""

from __future__ import annotations

import argparse
import asyncio
import os
import traceback
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import toolwire
from toolwire.cli.issue_agent.log import log_line, log_to_console, warn
from toolwire.cli.issue_agent.outcome import print_outcome, status_of, write_step_summary
from toolwire.cli.issue_agent.task import Task, own_tools
from toolwire.cli.parser import nearest
from toolwire.cli.terminal import FailedError

if TYPE_CHECKING:
    from toolwire.issue_agent import (
        ActionExecutor,
        AnswerTrigger,
        Deadline,
        Dispatcher,
        FinalAnalyzer,
        GitHubClient,
        OpenAIModel,
    )

DEFAULT_ACTIONS = ("add_label", "add_comment", "request_info")


def show_tool(name: str, seconds: float, success: bool) -> None:
    """Tell of a tool that has ended, on standard error."""
    warn(f"{name}: {'done' if success else 'failed'} in {seconds:.2f} s")


def make_github(
    arguments: argparse.Namespace, task: Task, secrets: list[str], deadline: Deadline
) -> GitHubClient:
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
            login=arguments.login,
            force=arguments.force,
            deadline=deadline,
        )
    except ValueError as error:
        raise FailedError(str(error)) from None


# The notation of the grammars that a server takes.
BACKENDS = {"vllm": "structural_tag", "sglang": "structural_tag", "llama.cpp": "gbnf"}


def make_model(name: str, server: str | None = None) -> OpenAIModel:
    """Make the model that the environment asks for; ``server`` takes grammars."""
    import openai

    from toolwire.issue_agent.llm import OpenAIModel
    from toolwire.issue_agent.schema import ANALYSIS_SCHEMA

    try:
        grammar = server and {"server": server, "backend": BACKENDS[server]}
        return OpenAIModel(name, schema=ANALYSIS_SCHEMA, constrain=grammar or None)
    except toolwire.ToolwireError as error:
        raise FailedError(f"--grammar: {error}") from None
    except (openai.OpenAIError, ValueError) as error:
        if missing := missing_variables():
            message = f"the model cannot be asked: set {' and '.join(missing)}"
            raise FailedError(f"key_missing: {message}") from None
        raise FailedError(str(error)) from None


def missing_variables() -> list[str]:
    """Give the variables that the model needs and the environment lacks."""
    azure = os.environ.get("AZURE_OPENAI_ENDPOINT")
    needed = ("AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION") if azure else ("OPENAI_API_KEY",)
    return [name for name in needed if not os.environ.get(name)]


def make_actions(
    arguments: argparse.Namespace, task: Task, github: GitHubClient, secrets: list[str]
) -> ActionExecutor:
    """Make the executor of the actions that the command line allows."""
    from toolwire.issue_agent import ActionExecutor
    from toolwire.issue_agent.issue import author

    allowed = {*DEFAULT_ACTIONS, *arguments.allow} - (
        {"add_label"} if arguments.no_labels else set()
    )
    return ActionExecutor(
        github,
        allowed_actions=allowed,
        allowed_labels=arguments.label,
        create_labels=arguments.create_labels,
        mentions=filter(None, [author(task.comment)]),
        secrets=secrets,
        dry_run=arguments.dry_run,
    )


async def make_analyzer(
    arguments: argparse.Namespace,
    model: OpenAIModel,
    github: GitHubClient,
    secrets: list[str],
    deadline: Deadline,
) -> FinalAnalyzer:
    """Make the analyzer, which names to the model the labels that it may recommend."""
    from toolwire.issue_agent import FinalAnalyzer

    labels: list[str] | None = [] if arguments.no_labels else arguments.label
    if not arguments.no_labels and not arguments.create_labels:
        named = None if labels is None else {label.casefold() for label in labels}
        known = await github.get_labels()
        labels = [label for label in known if named is None or label.casefold() in named]
        for label in arguments.label or ():
            if label.casefold() not in map(str.casefold, known):
                warn(f"--label: {github.repository} has no label {label}{nearest(label, known)}")
    return FinalAnalyzer(
        model, max_tokens=arguments.max_tokens, secrets=secrets, labels=labels, deadline=deadline
    )


def run_until_done(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Run the agent, and end even where a tool refuses to be cancelled; ``asyncio.run`` waits."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1))
        # Tasks that still run are dropped; the loop would report each of them.
        loop.set_exception_handler(lambda *_: None)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def look_up(arguments: argparse.Namespace, github: GitHubClient) -> dict[str, Any]:
    """Check that the token may write what the run will write, then give the issue as it is."""
    from toolwire.issue_agent.access import COMMENTS, LABELS

    needs = () if arguments.dry_run else (COMMENTS,) if arguments.no_labels else (COMMENTS, LABELS)
    access = await github.check_access(needs)
    for note in access.notes:
        warn(note)
    return await github.get_issue()


async def analyze(
    arguments: argparse.Namespace, task: Task, tools: dict[str, Any]
) -> dict[str, Any]:
    """Analyze the issue; gives the record."""
    from toolwire.issue_agent import AnswerTrigger, Deadline, GitHubError, environment_secrets

    secrets = environment_secrets()
    deadline = Deadline(arguments.time_limit)
    async with make_github(arguments, task, secrets, deadline) as github, AsyncExitStack() as ends:
        trigger = AnswerTrigger(
            github,
            pull_requests=arguments.pull_requests,
            closed=arguments.closed,
            force=arguments.force,
        )
        issue, analyzer = task.issue, None
        try:
            # An issue that is left alone by its own fields needs no model and costs no request.
            if not isinstance(issue, dict) or trigger.reason_to_leave(issue, task.comment) is None:
                model = make_model(arguments.model, arguments.grammar)
                ends.push_async_callback(model.aclose)
                issue = await look_up(arguments, github)
                analyzer = await make_analyzer(arguments, model, github, secrets, deadline)
            dispatcher = make_dispatcher(arguments, task, github, tools, secrets, analyzer, trigger)
            return await dispatcher.analyze(issue, task.comment)
        except GitHubError as error:
            raise FailedError(f"{error.code}: {error}") from None


def make_dispatcher(
    arguments: argparse.Namespace,
    task: Task,
    github: GitHubClient,
    tools: dict[str, Any],
    secrets: list[str],
    analyzer: FinalAnalyzer | None,
    trigger: AnswerTrigger,
) -> Dispatcher:
    """Make the dispatcher, which runs the steps and writes the record."""
    from toolwire.issue_agent import Dispatcher, SimilarIssues

    return Dispatcher(
        {"similar_issues": SimilarIssues(github), **tools},
        concurrency=arguments.concurrency,
        timeout=arguments.timeout,
        analyzer=analyzer,
        actions=make_actions(arguments, task, github, secrets),
        trigger=trigger,
        record=arguments.record,
        secrets=secrets,
        event_name=task.event_name,
        event_action=task.event_action,
        progress=show_tool,
    )


def run_agent(arguments: argparse.Namespace) -> int:
    """Run the agent on one issue."""
    from toolwire.issue_agent import environment_secrets
    from toolwire.issue_agent.comment import Redactor

    redactor = Redactor(environment_secrets())
    try:
        task = Task(arguments)
        with log_to_console(redactor):
            return outcome_of(arguments, task, redactor)
    except FailedError as error:
        raise FailedError(log_line(redactor.redact(str(error)))) from None


def outcome_of(arguments: argparse.Namespace, task: Task, redactor: Any) -> int:
    """Analyze, print the outcome, and give the exit status."""
    from toolwire.issue_agent import MissingExtraError
    from toolwire.issue_agent.record import without_secrets

    tools = own_tools(arguments.tools)
    try:
        record = run_until_done(analyze(arguments, task, tools))
    except FailedError:
        raise
    except MissingExtraError as error:
        raise FailedError(str(error)) from None
    except ImportError as error:
        raise FailedError(f"{error}: pip install httpx openai") from None
    except OSError as error:
        raise FailedError(f"cannot write {arguments.record}: {error.strerror or error}") from None
    except Exception as error:
        # This is a fault of the program; its trace may repeat text of strangers.
        for line in traceback.format_exc().splitlines():
            warn(redactor.redact(line))
        raise FailedError(f"unexpected: {type(error).__name__}: {error}") from None
    record = without_secrets(record, redactor)
    print_outcome(record)
    write_step_summary(record, task)
    return status_of(record)
