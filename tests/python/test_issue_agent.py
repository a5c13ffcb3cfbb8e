"""The issue agent's parts: replies, comments, actions, GitHub, models, records."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toolwire
from issue_agent_server import ANALYSIS, KEY, TOKEN, Fault, Server, State
from toolwire.issue_agent import (
    ANALYSIS_SCHEMA,
    ActionExecutor,
    AvailableTools,
    FinalAnalyzer,
    GitHubClient,
    GitHubError,
    OpenAIModel,
    ResultAnalyzer,
    TokenOptimizer,
    ToolResult,
    assess_user_provided_information,
    clean_user_comment,
    extract_and_parse_json_response,
    extract_json_from_llm_response,
    extract_user_comment_from_response,
    publishable,
    read_record,
    tool_result_to_dict,
    write_record,
)

ISSUE = {
    "number": 7,
    "title": "Crash",
    "body": "It crashes.",
    "user": {"login": "ann", "type": "User"},
}

REPLY = json.dumps(ANALYSIS)
DEEP = {"a": {"b": {"c": {"d": "{brace}"}}}, "summary": "x"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"see {json.dumps(DEEP)} there", DEEP),
        ('{"a": 1} {"summary": "s"}', {"summary": "s"}),
        ('```\n1\n```\n```json\n{"summary": "s",}\n```', {"summary": "s"}),
        ("no JSON", None),
        ("42", 42),
    ],
)
def test_json_is_found_that_the_live_agent_misses(text: str, value: Any) -> None:
    assert extract_json_from_llm_response(text) == value
    if value is None:
        with pytest.raises(
            json.JSONDecodeError, match="Could not extract valid JSON from response"
        ):
            extract_and_parse_json_response(text)
    else:
        assert extract_and_parse_json_response(text) == value
    assert extract_json_from_llm_response("{a: 'x'}", repair="safe") == {"a": "x"}


def test_a_comment_keeps_its_braces() -> None:
    text = "function f() { return {a: 1}; } // done now"
    assert clean_user_comment(text) == text
    assert clean_user_comment(text, legacy=True) == "function f()  // done now"
    assert clean_user_comment({"message": "x"}) == "x"
    assert clean_user_comment(None) == clean_user_comment("")
    escaped = '{"user_comment": "Line \\"one\\"\\nline two", bad'
    assert extract_user_comment_from_response(escaped) == 'Line "one"\nline two'
    # A lone surrogate cannot be posted.
    assert clean_user_comment("It is \ud83d here.") == "It is \ufffd here."


def prompted(results: list[ToolResult], **options: Any) -> str:
    prompts = []

    async def model(prompt: str) -> str:
        prompts.append(prompt)
        return REPLY

    asyncio.run(FinalAnalyzer(model, **options).generate(ISSUE, results))
    return prompts[0]


def test_a_prompt_holds_the_results_within_its_room() -> None:
    results = [
        ToolResult("search", True, {"long": "word " * 5000, "hits": 2}, confidence=0.5),
        ToolResult("logs", True, {"key": KEY}, confidence=0.5),
    ]
    prompt = prompted(results, max_tokens=300, secrets=[KEY])
    assert "**search** (Success, Confidence: 50.0%):" in prompt
    assert "- hits: 2" in prompt
    assert TokenOptimizer().count_tokens(prompt) < 900
    assert KEY not in prompt
    live = prompted(results[1:], legacy=True)
    assert str(results[1:]) in live


async def reply(prompt: str) -> str:
    return REPLY


def test_a_summary_within_a_budget_is_on_both_analyzers() -> None:
    results = [ToolResult("search", True, {"long": "word " * 19, "hits": 2}, confidence=0.5)]
    short = "\n**search** (Success, Confidence: 50.0%):\n- hits: 2\n- 1 more left out\n"
    for analyzer in (ResultAnalyzer(), FinalAnalyzer(reply)):
        assert analyzer.prepare_results_summary(results, max_tokens=20) == short
        assert analyzer.summarize_tool_data({"hits": 2}) == "- hits: 2"
    with pytest.raises(toolwire.InvalidArgumentError):
        ResultAnalyzer().prepare_results_summary(results, max_tokens=-1)


class Notes:
    """A GitHub that keeps its requests."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, Any]] = []

    async def get_labels(self) -> list[str]:
        return ["bug", "ui", "crash"]

    def __getattr__(self, name: str) -> Any:
        async def noted(argument: Any) -> Any:
            self.calls.append((name, argument))
            answer = self.answers.get(name, True)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return noted


def execute(analysis: dict[str, Any], github: Notes | None = None, **options: Any) -> Any:
    github = github or Notes()
    strategy = options.pop("strategy", None)
    taken = asyncio.run(ActionExecutor(github, **options).execute(analysis, ISSUE, strategy))
    return github.calls, [(one["action"], one["success"]) for one in taken]


def test_labels_are_added_once_in_order() -> None:
    analysis = {
        "recommended_labels": ["bug", "UI", "bug", 5, "", "x" * 51, "a\x00b"],
        "recommended_actions": [
            {"action": "add_label", "details": "crash"},
            {"action": "add_label", "details": "ui"},
            {"action": "add_label"},
            {"action": "request_info"},
            {"action": "dance"},
            "nonsense",
        ],
        "user_comment": "Thanks, @ann and @bob.",
    }
    before = copy.deepcopy(analysis)
    calls, taken = execute(analysis, strategy=[{"action": "assign_user", "details": "eve"}])
    assert calls == [
        ("add_labels", ["bug", "ui", "crash"]),
        ("add_comment", "Thanks, @ann and @\u200bbob."),
        ("assign_user", "eve"),
    ]
    assert taken == [
        ("unknown_action", False),
        ("labels_added", True),
        ("action_denied", False),
        ("action_denied", False),
        ("comment_added", True),
        ("info_request_handled", True),
        ("unknown_action", False),
        ("user_assigned", True),
    ]
    assert analysis == before, "the caller's analysis was changed"


def test_what_fails_does_not_keep_the_next_from_being_done() -> None:
    analysis = {
        "recommended_labels": ["bug"],
        "user_comment": "Thanks.",
        "recommended_actions": None,
    }
    github = Notes(add_labels=RuntimeError(f"no: {TOKEN}"), add_comment=False)
    taken = asyncio.run(ActionExecutor(github).execute(analysis, ISSUE))
    assert taken == [
        {
            "action": "add_label",
            "details": "Failed: no: [redacted]",
            "success": False,
            "code": "action_failed",
        },
        {"action": "comment_added", "details": "Analysis comment posted", "success": False},
    ]


def test_actions_must_be_allowed() -> None:
    analysis = {
        "recommended_actions": [{"action": "close_issue", "details": "done"}],
        "user_comment": "Thanks.",
    }
    assert execute(analysis, allowed_actions=["add_comment"]) == (
        [("add_comment", "Thanks.")],
        [("comment_added", True), ("action_denied", False)],
    )
    with pytest.raises(ValueError, match="unknown actions"):
        ActionExecutor(Notes(), allowed_actions=["dance"])


@pytest.fixture
def state() -> State:
    return State(copy.deepcopy(ISSUE), REPLY)


def github(server: Server, **options: Any) -> GitHubClient:
    return GitHubClient(
        "octo/repo", 7, token=TOKEN, api_url=server.address, backoff=0.01, **options
    )


def test_github_is_given_up_in_the_end(server: Server, state: State) -> None:
    async def main() -> None:
        async with github(server, max_retries=2) as client:
            state.faults = [Fault("GET", ".*", 503) for _ in range(3)]
            with pytest.raises(GitHubError, match="GET: status 503") as caught:
                await client.get_issue()
            assert (caught.value.code, caught.value.status) == ("unreachable", 503)
            state.faults = [Fault("GET", ".*", 200, body="<html>")]
            with pytest.raises(GitHubError, match="is no JSON"):
                await client.get_issue()
            with pytest.raises(ValueError, match="no login"):
                await client.assign_user("../x")
            assert await client.assign_user("stranger") is False
            assert await client.assign_user("@Eve") is True

    asyncio.run(main())


def test_a_slow_answer_is_asked_for_again(server: Server, state: State) -> None:
    async def main() -> None:
        async with github(server, timeout=0.2) as client:
            state.faults = [
                Fault("GET", ".*/issues/7", delay=1.0),
                Fault("POST", ".*/comments", delay=1.0),
            ]
            assert (await client.get_issue())["number"] == 7
            assert await client.add_comment("Thanks.")

    asyncio.run(main())
    assert len(state.comments) == 1
    assert state.made("GET", "/repos/octo/repo/issues/7") == 2


def test_nobody_is_reached_where_nobody_is() -> None:
    async def main() -> None:
        async with GitHubClient(
            "octo/repo", 7, token=TOKEN, api_url="http://127.0.0.1:9", max_retries=1, backoff=0.01
        ) as client:
            with pytest.raises(GitHubError, match=r"reached: GET: ConnectError"):
                await client.get_issue()

    asyncio.run(main())


@pytest.mark.parametrize(
    "options",
    [
        {"repository": "octo"},
        {"repository": "octo/repo/../x"},
        {"issue_number": 0},
        {"api_url": "http://api.example"},
        {"api_url": "ftp://127.0.0.1"},
        {"marker_key": "a -->"},
    ],
)
def test_what_a_client_is_made_of_is_checked(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        GitHubClient(**{"repository": "octo/repo", "issue_number": 7, **options})


def test_a_model_of_langchain_is_a_model(server: Server, state: State) -> None:
    langchain = pytest.importorskip("langchain_openai")
    chat = langchain.ChatOpenAI(model="m", base_url=f"{server.address}/v1", api_key=KEY)
    made = asyncio.run(FinalAnalyzer(chat).generate(ISSUE, []))
    assert made == ANALYSIS
    assert state.prompts[0]["messages"][0]["content"].startswith("You help the maintainers")


def test_a_grammar_holds_the_reply_to_the_schema(server: Server, state: State) -> None:
    state.formats = ("structural_tag",)

    async def ask(**options: Any) -> Any:
        model = OpenAIModel(
            "qwen2.5-7b-instruct",
            base_url=f"{server.address}/v1",
            api_key=KEY,
            schema=ANALYSIS_SCHEMA,
            **options,
        )
        try:
            return await FinalAnalyzer(model).generate(ISSUE, [])
        finally:
            await model.aclose()

    assert asyncio.run(ask(constrain={"server": "vllm"})) == ANALYSIS
    (asked,) = state.prompts
    wanted = toolwire.constrain([], model="qwen2.5-7b-instruct", text=ANALYSIS_SCHEMA)
    assert {name: asked[name] for name in wanted.request} == wanted.request
    assert "recommended_labels" in json.dumps(asked["response_format"])

    state.formats = ("none",)
    assert asyncio.run(ask(constrain={"format": "hermes", "backend": "gbnf"})) == ANALYSIS
    assert "recommended_labels" in state.prompts[1]["grammar"]
    assert not {"response_format", "skip_special_tokens"} & state.prompts[1].keys()

    state.formats = ("json_schema",)
    with pytest.raises(Exception, match="structural_tag"):
        asyncio.run(ask(constrain={"server": "vllm"}))
    assert len(state.prompts) == 3, "a server that refuses the grammar is asked nothing weaker"
    with pytest.raises(ValueError, match="schema="):
        OpenAIModel("m", api_key=KEY, constrain={})
    with pytest.raises(toolwire.ToolwireError, match="nobody"):
        OpenAIModel("nobody-knows-it", api_key=KEY, schema=ANALYSIS_SCHEMA, constrain={})


def test_azure_is_asked_where_the_environment_says_so(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "AZURE_OPENAI_ENDPOINT": server.address,
        "AZURE_OPENAI_API_KEY": KEY,
        "OPENAI_API_VERSION": "2024-10-21",
    }.items():
        monkeypatch.setenv(name, value)

    async def main() -> None:
        model = OpenAIModel("my-deployment", max_retries=0)
        # The server does not have this address; the test looks only at what was asked.
        with pytest.raises(Exception, match=r"401|404"):
            await model("hello")
        await model.aclose()

    asyncio.run(main())
    assert server.state.requests == [("POST", "/openai/deployments/my-deployment/chat/completions")]


@pytest.mark.parametrize(
    ("module", "what", "package"),
    [
        ("httpx", "GitHubClient('octo/repo', 7)", "httpx"),
        ("openai", "OpenAIModel('m')", "openai"),
        ("langchain_core", "LangChainModel(None)", "langchain-core"),
    ],
)
def test_what_is_not_installed_is_told(module: str, what: str, package: str) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from toolwire.issue_agent import *\n"
        f"try:\n    {what}\nexcept MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(f"is not installed: pip install {package}\n")


def test_the_package_needs_no_extra() -> None:
    extras = {"httpx", "openai", "langchain_core"}
    program = f"import sys, toolwire.issue_agent; print({extras} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_a_record_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record({"tool_results": [], "n": 1}, path)

    class Fails:
        def __str__(self) -> str:
            raise OSError("no text")

    with pytest.raises(OSError, match="no text"):
        write_record({"tool_results": [], "n": Fails()}, path)
    assert read_record(path) == {"tool_results": [], "n": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["record.json"]
    ring: dict[str, Any] = {"tool_results": []}
    ring["ring"] = ring
    write_record(ring, path)
    assert path.stat().st_mode & 0o777 != 0o600
    for text in ("[]", "{}", "[" * 100_000, "\xff"):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ValueError, match=r".") as caught:
            read_record(path)
        assert "Traceback" not in str(caught.value)


def test_chunks_hold_all_of_a_text() -> None:
    text = "Ünë sentence of some words. " * 300
    optimizer = TokenOptimizer("sentence-transformers")
    chunks = optimizer.smart_chunk_text(text, 0)
    assert "".join(chunk["text"] for chunk in chunks) == text
    assert all(chunk["text"] == text[chunk["start_pos"] : chunk["end_pos"]] for chunk in chunks)
    assert all(chunk["token_count"] <= optimizer.effective_max_tokens for chunk in chunks)
    assert [chunk["chunk_index"] for chunk in chunks] == list(range(len(chunks)))
    overlapping = optimizer.smart_chunk_text(text)
    assert overlapping[1]["start_pos"] < overlapping[0]["end_pos"]
    live = TokenOptimizer("sentence-transformers", legacy=True).smart_chunk_text(text)
    assert live[0]["text"].endswith("words.")


def test_what_an_author_gave_is_assessed() -> None:
    assert assess_user_provided_information({"title": "error", "body": None})["has_error_messages"]
    live = assess_user_provided_information({"title": "error", "body": None}, legacy=True)
    assert live["completeness_level"] == "insufficient"
    assert not live["has_error_messages"]
    hostile = "![" * 100_000 + "<img" * 100_000 + "http://" * 100_000
    assert (
        assess_user_provided_information({"title": "", "body": hostile})["has_screenshots"] is False
    )


def test_results_are_dicts_as_in_a_record() -> None:
    data = {"n": 1}
    made = tool_result_to_dict(ToolResult(AvailableTools.RAG_SEARCH, True, data, confidence=0.3))
    assert list(made) == ["tool", "success", "data", "confidence", "error_message"]
    assert made["data"] is data
    assert publishable("x" * 70_000).changes == {"shortened": 1}
