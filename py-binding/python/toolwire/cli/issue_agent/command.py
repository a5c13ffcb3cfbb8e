"""The options of ``toolwire issue-agent``, and a record summed up."""

from __future__ import annotations

import argparse
import os
from typing import Any

from toolwire.cli.issue_agent.log import log_lines
from toolwire.cli.issue_agent.outcome import print_outcome, status_of
from toolwire.cli.issue_agent.run import run_agent
from toolwire.cli.parser import add_command, add_group, positive
from toolwire.cli.terminal import REFUSED, FailedError, written

RECORD_FILE = "intelligent_dispatch_results.json"
DEFAULT_MODEL = "gpt-4o-mini"
DEFAULT_TIME_LIMIT = 480.0

RUN_HELP = "analyze an issue on GitHub, and answer it"
EPILOG = """\
examples:
  toolwire issue-agent run --repo octo/repo --issue 7 --dry-run
  toolwire issue-agent summarize intelligent_dispatch_results.json
"""

RUN_EPILOG = """\
The issue comes from the event that GitHub Actions left (GITHUB_EVENT_PATH), from --event, or from
GitHub by --issue. The tools are a search for similar issues, and those of --tools: MODULE:NAME is a
dict or a ToolRegistry of yours. Labels of the repository and one comment are allowed; --allow adds
other actions. A second run on the same issue or comment adds nothing; --force answers again. Pull
requests, closed issues, and what bots and the agent itself write are left alone. A model that
fails, or twice gives no analysis, leaves nothing on GitHub, and the next run tries again.

environment: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_EVENT_NAME,
GITHUB_STEP_SUMMARY; OPENAI_API_KEY, OPENAI_BASE_URL, or AZURE_OPENAI_ENDPOINT,
AZURE_OPENAI_API_KEY, OPENAI_API_VERSION; TOOLWIRE_MODEL

examples:
  toolwire issue-agent run --repo octo/repo --issue 7 --dry-run
  toolwire issue-agent run --event event.json --tools mytools:registry --allow close_issue

exit status: 0 done, or nothing to do; 1 an action was refused or failed, or there is no analysis; 2
wrong usage, or what is needed cannot be read or reached, or the token may not do what the run needs
"""

SUMMARIZE_EPILOG = """\
examples:
  toolwire issue-agent summarize intelligent_dispatch_results.json
  toolwire issue-agent summarize --max-tokens 500 intelligent_dispatch_results.json
  toolwire issue-agent summarize --json intelligent_dispatch_results.json | jq .success_rate

exit status: 0 done; 1 a tool, an action or the analysis failed; 2 the file cannot be read, or is no
record
"""


def result_of(entry: Any) -> Any:
    """Read a tool's result of a record; a value of a wrong type makes it a failed result."""
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
        print(log_lines(results_summary(results, max_tokens=arguments.max_tokens)))
        print_outcome(record)
        print(f"{report.succeeded} of {report.total} tools succeeded")
    return REFUSED if report.failed else status_of(record)


def seconds(text: str) -> float:
    """Read a time of the command line."""
    number = float(text)
    if not 0 < number < 1e6:
        raise ValueError
    return number


def add_label_options(run: argparse.ArgumentParser) -> None:
    """Add the options that say which labels may be added."""
    labels = run.add_argument_group("labels")
    labels.add_argument(
        "--label",
        action="append",
        metavar="NAME",
        help="a label that may be added; all of the repository's by default; may be repeated",
    )
    labels.add_argument(
        "--create-labels",
        action="store_true",
        help="add labels that the repository does not have, too",
    )
    labels.add_argument("--no-labels", action="store_true", help="add none")


def add_run(steps: Any) -> None:
    """Add ``issue-agent run``."""
    run = add_command(steps, "run", RUN_HELP, RUN_EPILOG)
    run.add_argument(
        "--repo", metavar="OWNER/NAME", help="the repository; GITHUB_REPOSITORY by default"
    )
    run.add_argument("--issue", type=positive, metavar="N", help="the number of the issue")
    run.add_argument(
        "--event", metavar="FILE", help="an event of GitHub's; GITHUB_EVENT_PATH by default"
    )
    run.add_argument(
        "--dry-run",
        action="store_true",
        help="print labels and comment, and change nothing on GitHub",
    )
    run.add_argument("--force", action="store_true", help="answer again what is answered")
    run.add_argument("--pull-requests", action="store_true", help="answer pull requests too")
    run.add_argument("--closed", action="store_true", help="answer closed issues too")
    run.add_argument(
        "--tools", metavar="MODULE:NAME", help="tools of yours, a dict or a ToolRegistry"
    )
    run.add_argument(
        "--allow",
        action="append",
        default=[],
        choices=("assign_user", "close_issue"),
        help="an action that is allowed besides labels and the comment; may be repeated",
    )
    add_label_options(run)
    run.add_argument(
        "--login",
        metavar="NAME",
        help="whose the token is, where GitHub does not say; octo-app[bot] of an app",
    )
    run.add_argument(
        "--model",
        default=os.environ.get("TOOLWIRE_MODEL") or DEFAULT_MODEL,
        metavar="NAME",
        help=f"the model, or Azure's deployment; TOOLWIRE_MODEL or {DEFAULT_MODEL} by default",
    )
    run.add_argument(
        "--grammar",
        choices=("vllm", "sglang", "llama.cpp"),
        help="the model's server, where it takes grammars, by which it holds the model to a reply",
    )
    run.add_argument(
        "--record", default=RECORD_FILE, metavar="FILE", help=f"{RECORD_FILE} by default"
    )
    run.add_argument(
        "--concurrency", type=positive, default=8, metavar="N", help="tools at a time; 8"
    )
    run.add_argument(
        "--timeout", type=seconds, default=60.0, metavar="SECONDS", help="for each tool; 60"
    )
    run.add_argument(
        "--time-limit",
        type=seconds,
        default=DEFAULT_TIME_LIMIT,
        metavar="SECONDS",
        help="for the model's work and all waits for GitHub; 480",
    )
    run.add_argument(
        "--max-tokens",
        type=positive,
        default=8000,
        metavar="N",
        help="of results in the prompt; 8000",
    )
    run.set_defaults(run=run_agent)


def add_to(commands: Any) -> None:
    """Add the command to the console's."""
    more = "Analyze issues on GitHub."
    steps = add_group(commands, "issue-agent", RUN_HELP, EPILOG, description=more)
    add_run(steps)

    about = "sum up the tool results of a record"
    summarize = add_command(steps, "summarize", about, SUMMARIZE_EPILOG)
    summarize.add_argument(
        "file", nargs="?", default=RECORD_FILE, metavar="FILE", help="the record"
    )
    shown = summarize.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print figures as one JSON object")
    shown.add_argument("--max-tokens", type=positive, metavar="N", help="leave out what is more")
    summarize.set_defaults(run=run_summarize)
