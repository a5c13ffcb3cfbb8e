"""A server on loopback that speaks the documented shapes of GitHub's REST API and of chat completions.

It keeps issues, comments and labels, and can be told to fail: each entry of `faults` is used up by one
request whose method and path match.
"""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "ghp_" + "T0ken" * 8
KEY = "sk-test-" + "K3y" * 10
PAGE = 2


@dataclass
class Fault:
    """What comes in the place of an answer, once."""

    method: str
    path: str
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    cut: bool = False  # the connection ends in the middle of the answer, which has its effect
    delay: float = 0.0


@dataclass
class State:
    """What the server has, and what it was asked."""

    issue: dict[str, Any]
    reply: str | list[Any] = "{}"
    comments: list[dict[str, Any]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    login: str | None = "octo-bot"
    found: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    prompts: list[dict[str, Any]] = field(default_factory=list)
    formats: tuple[str, ...] = ("json_schema", "json_object", "none")
    times: list[float] = field(default_factory=list)

    def made(self, method: str, path: str) -> int:
        """Count the requests of a kind."""
        return sum(one == method and re.fullmatch(path, asked) is not None for one, asked in self.requests)


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

    def route(self, method: str, path: str, query: str, body: Any) -> tuple[int, dict[str, str], Any]:
        if path == "/v1/chat/completions":
            return self.complete(body)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {}, {"message": "Bad credentials"}
        state, issue = self.server.state, f"/repos/octo/repo/issues/{self.server.state.issue['number']}"
        if path == "/user":
            if state.login is None:
                return 403, {}, {"message": "Resource not accessible by integration"}
            return 200, {}, {"login": state.login, "type": "User"}
        if path == "/search/issues":
            return 200, {}, {"total_count": len(state.found), "items": state.found}
        if path == issue:
            if method == "PATCH":
                state.issue |= body
            return 200, {}, state.issue
        if path == f"{issue}/comments" and method == "GET":
            return self.list_comments(query)
        if path == f"{issue}/comments":
            user = {"login": state.login or "github-actions[bot]", "type": "User" if state.login else "Bot"}
            state.comments.append({"id": len(state.comments) + 1, "user": user, "body": body["body"]})
            return 201, {}, state.comments[-1]
        if path == f"{issue}/labels":
            state.labels += [label for label in body["labels"] if label not in state.labels]
            return 200, {}, [{"name": label} for label in state.labels]
        if path == f"{issue}/assignees":
            known = [login for login in body["assignees"] if login != "stranger"]
            state.issue["assignees"] = [{"login": login} for login in known]
            return 201, {}, state.issue
        return 404, {}, {"message": "Not Found"}

    def list_comments(self, query: str) -> tuple[int, dict[str, str], Any]:
        state = self.server.state
        number = re.search(r"page=(\d+)$", query) if "&page=" in query else None
        page = int(number[1]) if number else 1
        start = (page - 1) * PAGE
        headers = {}
        if len(state.comments) > start + PAGE:
            address = f"http://127.0.0.1:{self.server.server_port}{self.path.split('?')[0]}"
            pages = [(page + 1, "next"), (len(state.comments) // PAGE + 1, "last")]
            links = [f'<{address}?per_page=100&page={number}>; rel="{rel}"' for number, rel in pages]
            headers["Link"] = ", ".join(links)
        return 200, headers, state.comments[start : start + PAGE]

    def complete(self, body: Any) -> tuple[int, dict[str, str], Any]:
        state = self.server.state
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            message = f"Incorrect API key provided: {self.headers.get('Authorization')}"
            return 401, {}, {"error": {"message": message, "type": "invalid_request_error"}}
        state.prompts.append(body)
        kind = body.get("response_format", {}).get("type", "none")
        if kind not in state.formats:
            message = (
                f"Invalid parameter: 'response_format' of type '{kind}' is not supported with this model."
            )
            return 400, {}, {"error": {"message": message, "type": "invalid_request_error"}}
        reply = state.reply.pop(0) if isinstance(state.reply, list) else state.reply
        choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
        completion = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return 200, {}, {**completion, "choices": [choice]}


class Server(ThreadingHTTPServer):
    """The server, in a thread of its own."""

    daemon_threads = True

    def __init__(self, state: State) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.state = state
        self.lock = threading.Lock()

    def __enter__(self) -> Server:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
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
