"""A server on loopback that answers as documented: GitHub's REST API and chat completions.

It keeps issues, comments and labels, and can be told to fail: each entry of `faults` is used up by
one request whose method and path match.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOKEN = "ghp_" + "T0ken" * 8
KEY = "sk-test-" + "K3y" * 10
PAGE = 2

ISSUE = {
    "number": 7,
    "title": "Crash of getHtml on macOS",
    "body": "It crashes. ![shot](https://x.example/a.png)",
    "user": {"login": "ann", "type": "User"},
    "labels": [{"name": "needs triage"}],
    "comments": 0,
    "state": "open",
}
COMMENT = "Hi @ann, getHtml crashes as in #3."
ANALYSIS: dict[str, Any] = {
    "issue_type": "bug_report",
    "severity": "high",
    "confidence": 0.85,
    "summary": "getHtml crashes",
    "detailed_analysis": "as in #3",
    "root_cause": None,
    "recommended_labels": ["bug", "macOS"],
    "recommended_actions": [{"action": "add_label", "details": "crash"}],
    "user_comment": COMMENT,
}
COMMENTS = "/repos/octo/repo/issues/7/comments"
TARGET = ("--repo", "octo/repo", "--issue", "7")
RECORD = "intelligent_dispatch_results.json"
KEYS = [
    *(
        "timestamp",
        "issue_data",
        "comment_data",
        "trigger_decision",
        "strategy_result",
        "decision_history",
    ),
    *("tool_results", "final_analysis", "actions_taken", "error"),
]


@dataclass
class Fault:
    """What one request gets instead of an answer."""

    method: str
    path: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    # The request takes effect, and the connection ends in the middle of the answer.
    cut: bool = False
    delay: float = 0.0


@dataclass
class State:
    """What the server holds, and the requests that it got."""

    issue: dict[str, Any]
    reply: str | list[Any] = "{}"
    comments: list[dict[str, Any]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    repository_labels: list[str] = field(
        default_factory=lambda: ["bug", "macOS", "crash", "question"]
    )
    repository: dict[str, Any] = field(
        default_factory=lambda: {
            "full_name": "octo/repo",
            "private": False,
            "archived": False,
            "permissions": {"admin": False, "push": False, "triage": True, "pull": True},
        }
    )
    scopes: str | None = "public_repo, read:user"  # None: the token is not a classic one
    login: str | None = "octo-bot"  # None: the token is an app's
    app: str | None = "github-actions[bot]"  # the app's name in GraphQL
    found: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    prompts: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str = "stop"
    refusal: str | None = None
    formats: tuple[str, ...] = ("json_schema", "json_object", "none")
    times: list[float] = field(default_factory=list)

    def made(self, method: str, path: str) -> int:
        """Count the requests of a kind."""
        return sum(
            one == method and re.fullmatch(path, asked) is not None for one, asked in self.requests
        )


class Answer(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.answer("GET")

    def do_POST(self) -> None:
        self.answer("POST")

    def do_PATCH(self) -> None:
        self.answer("PATCH")

    def answer(self, method: str) -> None:
        state = self.server.state
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        with self.server.lock:
            state.requests.append((method, path))
            state.times.append(time.monotonic())
            fault = next((one for one in state.faults if self.fits(one, method, path)), None)
            if fault is not None:
                state.faults.remove(fault)
            status, headers, answer = (
                self.route(method, path, query, body) if self.lets(fault) else (0, {}, None)
            )
        if fault is not None:
            time.sleep(fault.delay)
            if fault.status:
                status, headers, answer = fault.status, fault.headers, fault.body
        self.send(status, headers, answer, cut=fault is not None and fault.cut)

    @staticmethod
    def fits(fault: Fault, method: str, path: str) -> bool:
        return fault.method == method and re.fullmatch(fault.path, path) is not None

    @staticmethod
    def lets(fault: Fault | None) -> bool:
        return fault is None or not fault.status

    def send(self, status: int, headers: dict[str, str], answer: Any, *, cut: bool) -> None:
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        self.close_connection = cut

    def route(
        self, method: str, path: str, query: str, body: Any
    ) -> tuple[int, dict[str, str], Any]:
        if path == "/v1/chat/completions":
            return self.complete(body)
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return 401, {}, {"message": "Bad credentials"}
        state, issue = (
            self.server.state,
            f"/repos/octo/repo/issues/{self.server.state.issue['number']}",
        )
        if path == "/repos/octo/repo":
            return (
                200,
                {} if state.scopes is None else {"X-OAuth-Scopes": state.scopes},
                state.repository,
            )
        if path == "/repos/octo/repo/labels":
            return self.list_page(query, [{"name": name} for name in state.repository_labels])
        if path == "/graphql":
            viewer = None if state.app is None else {"login": state.login or state.app}
            return 200, {}, {"data": {"viewer": viewer}}
        if path == "/user":
            if state.login is None:
                return 403, {}, {"message": "Resource not accessible by integration"}
            return 200, {}, {"login": state.login, "type": "User"}
        if path == "/search/issues":
            state.queries.append(urllib.parse.parse_qs(query)["q"][0])
            return 200, {}, {"total_count": len(state.found), "items": state.found}
        if path == issue:
            if method == "PATCH":
                state.issue |= body
            return 200, {}, state.issue
        if path == f"{issue}/comments" and method == "GET":
            return self.list_page(query, state.comments)
        if path == f"{issue}/comments":
            user = {"login": state.login or state.app, "type": "User" if state.login else "Bot"}
            state.comments.append(
                {"id": len(state.comments) + 1, "user": user, "body": body["body"]}
            )
            return 201, {}, state.comments[-1]
        if path == f"{issue}/labels":
            state.labels += [label for label in body["labels"] if label not in state.labels]
            return 200, {}, [{"name": label} for label in state.labels]
        if path == f"{issue}/assignees":
            known = [login for login in body["assignees"] if login != "stranger"]
            state.issue["assignees"] = [{"login": login} for login in known]
            return 201, {}, state.issue
        return 404, {}, {"message": "Not Found"}

    def list_page(self, query: str, listed: list[Any]) -> tuple[int, dict[str, str], Any]:
        number = re.search(r"page=(\d+)$", query) if "&page=" in query else None
        page = int(number[1]) if number else 1
        start = (page - 1) * PAGE
        headers = {}
        if len(listed) > start + PAGE:
            address = f"http://127.0.0.1:{self.server.server_port}{self.path.split('?')[0]}"
            pages = [(page + 1, "next"), (len(listed) // PAGE + 1, "last")]
            links = [
                f'<{address}?per_page=100&page={number}>; rel="{rel}"' for number, rel in pages
            ]
            headers["Link"] = ", ".join(links)
        return 200, headers, listed[start : start + PAGE]

    def complete(self, body: Any) -> tuple[int, dict[str, str], Any]:
        state = self.server.state
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            message = f"Incorrect API key provided: {self.headers.get('Authorization')}"
            return 401, {}, {"error": {"message": message, "type": "invalid_request_error"}}
        state.prompts.append(body)
        kind = body.get("response_format", {}).get("type", "none")
        if kind not in state.formats:
            message = (
                f"Invalid parameter: 'response_format' of type '{kind}' is not supported with this "
                "model."
            )
            return 400, {}, {"error": {"message": message, "type": "invalid_request_error"}}
        reply = state.reply.pop(0) if isinstance(state.reply, list) else state.reply
        written = {"role": "assistant", "content": reply, "refusal": state.refusal}
        choice = {"index": 0, "message": written, "finish_reason": state.finish_reason}
        completion = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return 200, {}, {**completion, "choices": [choice]}


class Server(ThreadingHTTPServer):
    """The server, in a thread of its own."""

    daemon_threads = True

    def __init__(self, state: State) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.state = state
        self.token = TOKEN
        self.lock = threading.Lock()

    def __enter__(self) -> Server:
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def address(self) -> str:
        """Where GitHub's API is; the models are below `/v1`."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What the agent finds in its environment."""
        return {
            "GITHUB_API_URL": self.address,
            "GITHUB_TOKEN": TOKEN,
            "OPENAI_BASE_URL": f"{self.address}/v1",
            "OPENAI_API_KEY": KEY,
        }


def new_state() -> State:
    """Give a repository in which issue 7 is like the closed issue 3."""
    similar = {"number": 3, "title": "getHtml crashes", "state": "closed"}
    similar |= {
        "html_url": "https://x.example/3",
        "repository_url": "https://api.github.com/repos/octo/repo",
    }
    return State(json.loads(json.dumps(ISSUE)), json.dumps(ANALYSIS), found=[similar])


def run(server: Server, folder: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run the agent on issue 7; fail when it prints or writes a part of a secret."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("GITHUB_", "OPENAI_"))
    }
    command = [sys.executable, "-m", "toolwire", "issue-agent", "run"]
    done = subprocess.run(
        [*command, *(arguments or TARGET)],
        capture_output=True,
        text=True,
        env={**clean, **server.environment, **environment},
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    written = [file.read_text() for file in folder.iterdir() if file.is_file()]
    for text in (done.stdout, done.stderr, *written):
        assert TOKEN not in text
        assert KEY not in text
    return done.returncode, done.stdout, done.stderr


def record(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / RECORD).read_bytes())
    assert list(read) == KEYS
    return read
