"""The console, as a shell runs it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import toolwire

CALL = '<tool:echo>{"a": 1}</tool>'
SCRIPT = Path(sys.executable).parent / "toolwire"
GREEN, RED, OFF = "\x1b[32m", "\x1b[31m", "\x1b[0m"


def run(*arguments: str | Path, stdin: str | bytes = b"", **environment: str) -> Any:
    """Run the console; give its exit status, output and errors."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    command = [sys.executable, "-m", "toolwire", *map(str, arguments)]
    environ = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    done = subprocess.run(
        command, input=given, capture_output=True, env=environ, timeout=60, check=False
    )
    out, errors = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in errors, errors
    return done.returncode, out, errors


def on_a_terminal(text: str, **environment: str) -> str:
    """Run detection with a terminal as standard output; give what the terminal receives."""
    ours, theirs = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", **environment}
    if "NO_COLOR" not in environment:
        environ.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "toolwire", "detect"],
        stdin=subprocess.PIPE,
        stdout=theirs,
        env=environ,
    )
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(text.encode())
    process.stdin.close()
    sent = b""
    try:
        while piece := os.read(ours, 4096):
            sent += piece
    except OSError:  # a terminal whose program has ended cannot be read
        pass
    process.wait(60)
    os.close(ours)
    return sent.decode().replace("\r\n", "\n")


def test_a_text_is_printed_with_a_line_a_call() -> None:
    text = f"Let me look.\n{CALL}\nDone.\n"
    status, out, errors = run("detect", stdin=text)
    assert (status, errors) == (0, "")
    assert out == text + '\ncall 0: echo (tag) {"a": 1}\n'
    assert run("detect", "-", stdin=text) == (0, out, "")


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "reply.md"
    file.write_text(CALL)
    assert run("detect", file)[:2] == (0, CALL + '\n\ncall 0: echo (tag) {"a": 1}\n')


def test_a_refusal_has_a_line_and_a_status() -> None:
    status, out, errors = run("detect", stdin=f"ä\nö <tool:echo>no</tool> {CALL}")
    assert (status, errors) == (1, "")
    lines = out.splitlines()
    assert lines[3] == 'call 0: echo (tag) {"a": 1}'
    assert lines[4].startswith("refused at 2:3: bad_json: ")


def test_text_without_a_call_is_text_alone() -> None:
    assert run("detect", stdin="nothing") == (0, "nothing\n", "")
    assert run("detect", stdin="") == (0, "", "")


def test_the_default_is_every_format_that_can_be_told_apart() -> None:
    hermes = '<tool_call>\n{"name": "get", "arguments": {}}\n</tool_call>'
    text = f"{hermes}\n{CALL}"
    assert [line.split()[3] for line in run("detect", stdin=text)[1].splitlines()[-2:]] == [
        "(hermes)",
        "(tag)",
    ]
    for options, formats in (
        (["--formats", "tag"], ["tag"]),
        (["--formats", "tag", "--formats", "hermes"], ["hermes", "tag"]),
        (["--formats", "tag, hermes"], ["hermes", "tag"]),
        (["--formats", "auto"], ["hermes", "tag"]),
    ):
        found = json.loads(run("detect", "--json", *options, stdin=text)[1])
        assert [call["format"] for call in found["calls"]] == formats


def test_options_reach_the_detector(tmp_path: Path) -> None:
    def names(text: str, *options: str) -> list[str]:
        return [
            call["name"]
            for call in json.loads(run("detect", "--json", *options, stdin=text)[1])["calls"]
        ]

    tools = tmp_path / "tools.json"
    tools.write_text('["other", {"name": "mine", "parameters": {"type": "object"}}]')
    assert names(CALL, "--tools", str(tools)) == []
    assert names(CALL.replace("echo", "mine"), "--tools", str(tools)) == ["mine"]
    thought = f"<think>{CALL}</think>"
    assert (names(thought), names(thought, "--reasoning", "calls")) == ([], ["echo"])
    almost = "<tool:echo>{'a': 1,}</tool>"
    assert (names(almost), names(almost, "--repair")) == ([], ["echo"])
    fenced = f"```text\n{CALL}\n```\n"
    assert (names(fenced), names(fenced, "--fences", "all")) == ([], ["echo"])


def test_json_is_one_object_of_what_was_found() -> None:
    text = f"é {CALL} <tool:echo>no</tool> "
    text += f'<tool:b>{{"n": 1e999, "i": {"7" * 5000}, "s": "é\\u001b"}}</tool>'
    status, out, errors = run("detect", "--json", stdin=text)
    assert (status, errors, out.count("\n")) == (1, "", 1)
    found = json.loads(out, parse_int=str, parse_constant=pytest.fail)
    assert list(found) == ["calls", "rejections", "reasoning", "reasoning_open", "text"]
    detection = toolwire.detect(text, formats="auto")
    assert found["text"] == detection.text
    first, second = found["calls"]
    assert list(first) == list(detection[0].to_dict())
    plain = json.loads(out.replace("7" * 5000, "7"))["calls"][0]
    expected = {**detection[0].to_dict(), "id": plain["id"], "span": [2, 28]}
    assert plain == expected
    assert second["arguments"] == {"n": float("inf"), "i": "7" * 5000, "s": "é\x1b"}
    assert second["arguments_raw"] == detection[1].arguments_raw
    (rejection,) = found["rejections"]
    wanted = detection.rejections[0]
    assert rejection == {
        "code": "bad_json",
        "message": wanted.message,
        "span": list(map(str, wanted.span)),
        "line": "1",
        "column": str(wanted.column),
        "excerpt": wanted.excerpt,
        "format": "tag",
    }


def test_arguments_are_in_one_line() -> None:
    text = '<tool:echo>{\n  "a": [1,\t2],\r\n  "b": "x  y"\n}</tool>'
    out = run("detect", stdin=text)[1]
    assert out.endswith('\ncall 0: echo (tag) { "a": [1, 2], "b": "x  y" }\n')
    assert run("detect", "--json", stdin=text)[1].count("\n") == 1


def test_long_runs_of_white_space_take_no_time() -> None:
    spaces = " " * 1_500_000
    text = f'<tool:echo>{{{spaces}"a": "{spaces}"}}</tool>{spaces}'
    for options in ([], ["--json"]):
        assert run("detect", *options, stdin=text)[0] == 0


def test_no_arguments_are_an_empty_object() -> None:
    assert (
        json.loads(run("detect", "--json", stdin="<tool:echo>[]</tool>")[1])["calls"][0][
            "arguments"
        ]
        == {}
    )


CONTROLS = "\x1b[2J\x1b]0;x\x07\x9b31m\x7f\x00\x08\r\u202e\u2066\u2028\u061c"


@pytest.mark.parametrize(
    "text",
    [
        f"before {CONTROLS} {CALL}",
        f'<tool:echo>{{"a": "{CONTROLS[-5:]}\x9b\x7f\\u001b"}}</tool>',
        f"<tool:echo>{{{CONTROLS}}}</tool>",
        f"<tool:{CONTROLS}>{{}}</tool>",
        f'{{"name": "e{CONTROLS}", "arguments": {{}}}}',
    ],
)
def test_controls_are_shown_and_not_sent(text: str) -> None:
    harmful = set(CONTROLS) - set("[2J]0;x31m")
    for options in ([], ["--json"]):
        _, out, errors = run("detect", *options, stdin=text)
        assert not harmful & set(out + errors)
    sent = on_a_terminal(text).replace(GREEN, "").replace(RED, "").replace(OFF, "")
    assert not harmful & set(sent)


def test_what_is_shown_of_controls_can_be_read() -> None:
    text = "a\tb\r\nc\rd \x1b[31m \x9b \u202e\n"
    assert run("detect", stdin=text)[1] == "a\tb\nc⟨U+000D⟩d ⟨U+001B⟩[31m ⟨U+009B⟩ ⟨U+202E⟩\n"


def test_invisible_characters_reach_the_terminal_as_marks() -> None:
    text = "ad\u200bmin \U000e0072\u2060 👩\u200d💻\n<tool:e\u200bcho>{}</tool>"
    _, out, _ = run("detect", stdin=text)
    assert out.startswith("ad⟨U+200B⟩min ⟨U+E0072⟩⟨U+2060⟩ 👩\u200d💻\n")
    assert not set("\u200b\u2060\U000e0072") & set(out)
    _, out, _ = run("detect", stdin='<tool:echo>{"a": "x\u200b\\n"}</tool>')
    assert 'call 0: echo (tag) {"a": "x⟨U+200B⟩\\n"}' in out


def test_bytes_need_not_be_utf_8() -> None:
    raw = b"\xff\xe2\x82 " + CALL.encode() + b" \xed\xa0\x80"
    status, out, _ = run("detect", stdin=raw)
    assert status == 0
    assert out.startswith("⟨0xFF⟩⟨0xE2⟩⟨0x82⟩ " + CALL + " ⟨0xED⟩⟨0xA0⟩⟨0x80⟩\n")
    found = json.loads(run("detect", "--json", stdin=raw)[1])
    assert found["text"].encode("utf-8", "surrogateescape") == raw.replace(CALL.encode(), b"")


def test_an_output_without_unicode_gets_escapes() -> None:
    assert run("detect", stdin="é€", PYTHONIOENCODING="ascii") == (0, "\\xe9\\u20ac\n", "")


def test_calls_are_green_and_refusals_red_on_a_terminal() -> None:
    text = f"a {CALL} b <tool:echo>no</tool> c"
    sent = on_a_terminal(text)
    assert f"a {GREEN}{CALL}{OFF} b {RED}<tool:echo>" in sent
    assert f"{GREEN}call 0{OFF}: echo (tag)" in sent
    assert f"{RED}refused at 1:32{OFF}: bad_json" in sent
    for name in ("a ", CALL, " b ", " c"):
        assert name in sent
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_a_terminal(text, **environment)


def test_a_call_inside_a_refusal_is_still_a_call() -> None:
    text = f'{{"name": "x", "arguments": {{"a": [ {CALL} <tool:b>no</tool> z'
    plain = on_a_terminal(text, NO_COLOR="1")
    sent = on_a_terminal(text)
    assert GREEN + CALL + OFF in sent
    assert sent.replace(GREEN, "").replace(RED, "").replace(OFF, "") == plain
    assert plain.startswith(text)


def test_formats_are_listed() -> None:
    status, out, errors = run("formats")
    assert (status, errors) == (0, "")
    formats = toolwire.formats()
    assert [line.split()[0] for line in out.splitlines()] == [one.slug for one in formats]
    listed = json.loads(run("formats", "--json")[1])
    assert listed == [
        {"slug": one.slug, "models": one.models, "body": one.body, "example": one.example}
        for one in formats
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["detect", "--model", "my-model"],
            'toolwire: no profile for the model "my-model"',
        ),
        (["detect", "--template", "/no/such"], "toolwire: cannot read /no/such"),
        (["find"], "find"),
        (["detect", "--colour"], "--colour"),
        (["detect", "--fences", "some"], "some"),
        (["detect", "--format", "tag"], "unrecognized arguments: --format"),
        (["detect", "--format", "tag"], "; nearest: --formats"),
        (["detect", "--modle=x", "-"], "unrecognized arguments: --modle=x; nearest: --model\n"),
        (["detct", "-"], "invalid choice: 'detct'; nearest: detect; known: detect, formats, "),
        (["--hlep"], "unrecognized arguments: --hlep; nearest: --help\n"),
        (["mcp", "serve", "--stroe=x"], "arguments: --stroe=x; nearest: --store"),
        (["mcp", "serve", "--store=x"], "arguments are required: MODULE:NAME\n"),
        (["issue-agent", "rn"], "invalid choice: 'rn'; nearest: run; known: run, summarize\n"),
        (["issue-agent", "run", "--dryrun"], "--dryrun; nearest: --dry-run\n"),
        (["detect", "--fences", "al"], "'al'; nearest: all; known: json, all, none\n"),
        (["transcript", "--dialect", "cdex", "-"], "'cdex'; nearest: codex"),
        (["sessions", "--agent", "cdex"], "'cdex'; nearest: codex"),
        (["detect", "--formats", "tag,tga"], 'unknown format "tga"; nearest: tag; known: tag'),
        (["detect", "/no/such/file"], "toolwire: cannot read /no/such/file: No such file"),
        (["detect", "/"], "toolwire: cannot read /: Is a directory"),
        (["detect", "/no/such/\x1b[2J"], "⟨U+001B⟩[2J"),
        (["detect", "--tools", "/no/such/file"], "toolwire: cannot read /no/such/file"),
    ],
)
def test_wrong_usage_is_told_in_one_message(arguments: list[str], said: str) -> None:
    status, out, errors = run(*arguments)
    assert (status, out) == (2, "")
    assert said in errors


@pytest.mark.parametrize(
    "tools",
    [
        "",
        "{",
        "null",
        "{}",
        "[1]",
        '[{"name": 1}]',
        "[NaN]",
        "[" * 100_000,
        b"\xff",
        "[" + "7" * 9999 + "]",
    ],
)
def test_a_bad_file_of_tools_is_told_in_one_line(tmp_path: Path, tools: str | bytes) -> None:
    file = tmp_path / "tools.json"
    file.write_bytes(tools if isinstance(tools, bytes) else tools.encode())
    status, out, errors = run("detect", "--tools", file)
    assert (status, out, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("toolwire: ")
    assert str(file) in errors


def test_a_bad_schema_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text('[{"name": "a", "parameters": {"type": "nothing"}}]')
    status, _, errors = run("detect", "--tools", file)
    assert (status, str(file) in errors) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        ("detect", ""),
        ("detect --json", "1"),
        ("formats", "1"),
        ("formats --json", ""),
        ("--help", ""),
    ],
)
def test_a_reader_that_stops_is_no_error(arguments: str, unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "toolwire", *arguments.split()]
    text = (CALL * 10_000).encode()
    environ = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        command,
        input=text,
        stdout=write,
        stderr=subprocess.PIPE,
        env=environ,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (2, b"")


@pytest.mark.parametrize(
    ("redirected", "said"),
    [
        ("detect <&-", "standard input"),
        ("detect >&-", "standard output"),
        ("detect >/dev/full", "standard output"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(redirected: str, said: str) -> None:
    command = f'echo x | "{sys.executable}" -m toolwire {redirected}'
    if "<" in redirected:
        command = f'"{sys.executable}" -m toolwire {redirected}'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_an_error_that_cannot_be_told_is_no_traceback() -> None:
    command = f'"{sys.executable}" -m toolwire detect /no/such/file 2>&-'
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")


def test_refusals_beyond_the_limit_are_counted() -> None:
    status, out, errors = run("detect", stdin="<tool:echo>no</tool>\n" * 1005)
    assert (status, out.count("refused at")) == (1, 1000)
    assert errors == "toolwire: 5 more refusals are not listed\n"


def test_the_script_is_the_module() -> None:
    assert run("--version")[1] == f"toolwire {toolwire.__version__}\n"
    for arguments in (["--version"], ["detect", "--help"], ["formats"]):
        script = subprocess.run(
            [SCRIPT, *arguments], capture_output=True, text=True, timeout=60, check=True
        )
        assert run(*arguments) == (0, script.stdout, script.stderr)
