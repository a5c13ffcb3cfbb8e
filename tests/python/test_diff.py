"""Diffs against Python's difflib, against stageflow, and with values that only Python has."""

from __future__ import annotations

import dataclasses
import difflib
import doctest
import inspect
import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import toolwire
import toolwire.tools
import toolwire.tools.diff
from diff_values import changed, values
from toolwire.tools import DiffLine, DiffResult, DiffType, diff_json, diff_structured, diff_text

stageflow = pytest.importorskip("stageflow.tools.diff", reason="stageflow needs Python 3.11")

ROOT = Path(__file__).resolve().parents[2]


def kept(result: DiffResult) -> int:
    return sum(line.type == "equal" for line in result.changes)


def kept_by_difflib(old: str, new: str) -> int:
    blocks = difflib.SequenceMatcher(
        None, old.splitlines(True), new.splitlines(True)
    ).get_matching_blocks()
    return sum(block.size for block in blocks)


def texts(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Give pairs of texts: drawn from few lines, or one with some lines changed."""
    draw = random.Random(seed)
    for _ in range(count):
        size = draw.choice([2, 5, 10, 40, 199])
        kinds = draw.choice([2, 4, 20, 1000])
        old = [f"line {draw.randrange(kinds)}\n" for _ in range(draw.randrange(size + 1))]
        if draw.random() < 0.5:
            new = [f"line {draw.randrange(kinds)}\n" for _ in range(draw.randrange(size + 1))]
        else:
            new = [line for line in old if draw.random() < 0.9]
            new.insert(draw.randrange(len(new) + 1), "one more\n")
        yield "".join(old), "".join(new[:199])


def test_short_texts_have_the_diff_of_difflib_where_that_is_minimal() -> None:
    equal = shorter = 0
    for number, (old, new) in enumerate(texts(1, 1500)):
        ours = (
            kept(diff_text(old, new, DiffType.LINE_BY_LINE))
            if old != new
            else len(old.splitlines())
        )
        assert ours >= kept_by_difflib(old, new)
        if ours > kept_by_difflib(old, new):
            shorter += 1
            continue
        equal += 1
        lines = old.splitlines(True), new.splitlines(True)
        context = number % 5
        names = {"fromfile": "a/original", "tofile": "b/modified", "n": context}
        unified = diff_text(old, new, context_lines=context)
        expected = difflib.unified_diff(*lines, **names)  # type: ignore[arg-type]
        assert unified.diff_output == "".join(expected)
        found = diff_text(old, new, DiffType.CONTEXT, context)
        expected = difflib.context_diff(*lines, **names)  # type: ignore[arg-type]
        assert found.diff_output == "".join(expected)
        assert found.changes == unified.changes
    assert equal > 1000
    assert shorter > 50


def test_line_ends_are_those_of_splitlines() -> None:
    draw = random.Random(2)
    ends = "ab\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029\u2027\xa0é"
    for _ in range(500):
        old, new = ("".join(draw.choices(ends, k=draw.randrange(30))) for _ in range(2))
        found = diff_text(old, new, DiffType.LINE_BY_LINE).changes
        if old != new:
            assert [line.content for line in found if line.type != "add"] == old.splitlines(True)
            assert [line.content for line in found if line.type != "remove"] == new.splitlines(True)


def test_texts_are_as_in_stageflow() -> None:
    compared = 0
    for old, new in texts(3, 400):
        for diff_type in ("UNIFIED", "JSON_PATCH"):
            ours = diff_text(old, new, DiffType[diff_type])
            theirs = stageflow.diff_text(old, new, stageflow.DiffType[diff_type])
            assert ours.similarity == theirs.similarity
            assert (ours.old_content, ours.new_content) == (theirs.old_content, theirs.new_content)
            everything = diff_text(old, new, DiffType.LINE_BY_LINE)
            if old == new or kept(everything) == kept_by_difflib(old, new):
                compared += 1
                assert ours.to_dict() == theirs.to_dict()
                assert (ours.has_changes, ours.change_summary) == (
                    theirs.has_changes,
                    theirs.change_summary,
                )
    assert compared > 400


def test_the_example_of_stageflow_s_reference_is_printed_alike() -> None:
    found = diff_text("Hello\nWorld", "Hello\nPython\nWorld").diff_output
    lines = ["--- a/original", "+++ b/modified", "@@ -1,2 +1,3 @@", " Hello", "+Python", " World"]
    assert found == "\n".join(lines)


def test_a_last_line_of_both_texts_without_an_end_is_as_in_stageflow() -> None:
    for old, new in texts(8, 300):
        old, new = f"{old}last", f"{new}last"
        if kept(diff_text(old, new, DiffType.LINE_BY_LINE)) == kept_by_difflib(old, new):
            assert diff_text(old, new).to_dict() == stageflow.diff_text(old, new).to_dict()


@pytest.mark.parametrize("end", ["\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_any_end_of_a_last_line_is_as_in_stageflow(end: str) -> None:
    for old, new in [("a", "b"), ("a", "ba"), ("aa", "a"), ("", "a"), ("ab", "cb")]:
        given = end.join([*old, ""]), end.join([*new, ""])
        assert diff_text(*given).to_dict() == stageflow.diff_text(*given).to_dict()


def test_a_tab_in_a_name_is_as_in_stageflow() -> None:
    names: Any = {"fromfile": "a b.txt\t2024-01-01", "tofile": "\tüber"}
    ours, theirs = (found("a\n", "b\n", **names) for found in (diff_text, stageflow.diff_text))
    assert ours.diff_output == theirs.diff_output


def test_json_is_as_in_stageflow() -> None:
    draw = random.Random(4)
    operations = short = 0
    for _ in range(1500):
        old = {"a": values(draw, 3), "b": values(draw, 1)}
        new = changed(draw, old)
        if not new:
            continue
        ours, theirs = diff_json(old, new), stageflow.diff_json(old, new)
        operations += ours.additions + ours.deletions
        assert (ours.old_content, ours.new_content) == (theirs.old_content, theirs.new_content)
        expected = theirs.to_dict()
        if max(len(json.dumps(value, sort_keys=True)) for value in (old, new)) < 200:
            short += 1
        else:
            expected["similarity"] = ours.similarity
        assert ours.to_dict() == expected
    assert operations > 1000
    assert short > 500


def test_fields_are_as_in_stageflow() -> None:
    draw = random.Random(5)
    for _ in range(500):
        old = {draw.choice("abcdef"): values(draw, 1) for _ in range(4)}
        new = {draw.choice("abcdef"): values(draw, 1) for _ in range(2)} | changed(draw, old)
        ours, theirs = diff_structured(old, new), stageflow.diff_structured(old, new)
        expected = theirs.to_dict()
        if max(len(json.dumps(value, sort_keys=True)) for value in (old, new)) >= 200:
            expected["similarity"] = ours.similarity
        assert ours.to_dict() == expected
        assert (ours.old_content, ours.new_content) == (None, None)
        ignored = diff_structured(old, new, {"a"}).to_dict() | {"similarity": 0}
        assert ignored == stageflow.diff_structured(old, new, {"a"}).to_dict() | {"similarity": 0}


def test_the_names_and_signatures_are_those_of_stageflow() -> None:
    assert set(toolwire.tools.diff.__all__) == set(stageflow.__all__)
    for name in ("diff_text", "diff_json", "diff_structured"):
        ours = inspect.signature(getattr(toolwire.tools.diff, name))
        theirs = inspect.signature(getattr(stageflow, name))
        assert list(ours.parameters) == list(theirs.parameters)
        for parameter in ours.parameters.values():
            default = theirs.parameters[parameter.name].default
            expected = "unified" if isinstance(default, stageflow.DiffType) else default
            assert (parameter.kind, parameter.default) == (
                theirs.parameters[parameter.name].kind,
                expected,
            )
    for record in (DiffLine, DiffResult):
        named = getattr(stageflow, record.__name__)
        fields = [(one.name, one.default) for one in dataclasses.fields(record)]
        assert fields == [(one.name, one.default) for one in dataclasses.fields(named)]
    assert {one.name: one.value for one in DiffType} == {
        one.name: one.value for one in stageflow.DiffType
    }
    with pytest.raises(AttributeError):
        DiffLine("add", "x").type = "remove"  # type: ignore[misc]
    assert dataclasses.replace(DiffLine("add", "x"), type="equal") == DiffLine("equal", "x")


def test_json_operations_apply_where_stageflow_s_do_not() -> None:
    paths = [step["path"] for step in json.loads(diff_json([1, 2, 3], [1]).diff_output)]
    assert paths == ["/2", "/1"]
    for old, new, path in [
        ({"a/b~c": 1}, {"a/b~c": 2}, "/a~1b~0c"),
        ({"a": {}}, {"a": []}, "/a"),
        ({"a": 1}, {"a": True}, "/a"),
        ({"a": 1}, {"a": 1.0}, "/a"),
        ({"a": 1}, [1], ""),
        (5, 6, ""),
    ]:
        step = {
            "op": "replace",
            "path": path,
            "value": new[next(iter(new))] if isinstance(new, dict) else new,
        }
        found = json.loads(diff_json(old, new).diff_output)  # type: ignore[arg-type]
        assert repr(found) == repr([step])


def test_removed_lines_that_look_like_a_head_count() -> None:
    found = diff_text("-- a\n++ b\nc\n", "c\n")
    assert (found.deletions, [line.content for line in found.changes]) == (
        2,
        ["-- a\n", "++ b\n", "c\n"],
    )


def test_one_line_more_in_a_repetitive_text_is_one_addition() -> None:
    lines = ["{\n", "  x\n", "}\n", "\n"] * 50
    new = [*lines[:101], "new\n", *lines[101:]]
    assert diff_text("".join(lines), "".join(new)).change_summary == "+1"


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("old", b"x", toolwire.WrongTypeError),
        ("new", None, toolwire.WrongTypeError),
        ("diff_type", "side_by_side", toolwire.InvalidArgumentError),
        ("diff_type", 1, toolwire.WrongTypeError),
        ("context_lines", -1, toolwire.InvalidArgumentError),
        ("context_lines", 1.5, toolwire.WrongTypeError),
        ("fromfile", 1, toolwire.WrongTypeError),
    ],
)
def test_misuse_raises(name: str, value: Any, error: type[Exception]) -> None:
    given: dict[str, Any] = {"old": "a", "new": "b"}
    with pytest.raises(error):
        diff_text(**{**given, name: value})


def test_any_number_of_context_lines_is_taken() -> None:
    text = "".join(f"{line}\n" for line in range(50))
    assert diff_text(text, text + "x\n", context_lines=10**40).unchanged == 50


@pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")
def test_git_applies_the_diff(tmp_path: Path) -> None:
    draw = random.Random(6)
    for number in range(25):
        lines = [f"{draw.randrange(9)}" for _ in range(draw.randrange(1, 400))]
        new = [line for line in lines if draw.random() < 0.9] + ["end"] * draw.randrange(2)
        old_text = "\n".join(lines) + "\n" * draw.randrange(2)
        new_text = "\n".join(new) + "\n" * draw.randrange(2)
        if old_text == new_text or not new_text.strip():
            continue
        (tmp_path / "file").write_text(old_text)
        patch = diff_text(old_text, new_text, fromfile="a/file", tofile="b/file").diff_output
        if not patch.endswith("\n"):
            patch += "\n\\ No newline at end of file\n"
        (tmp_path / "patch").write_text(patch)
        alone = os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
        done = subprocess.run(["git", "apply", "patch"], cwd=tmp_path, env=alone, check=False)
        assert done.returncode == 0, number
        assert (tmp_path / "file").read_text() == new_text


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_hostile_input_takes_nearly_linear_time() -> None:
    draw = random.Random(7)
    few = ["".join(draw.choices(["a\n", "b\n", "c\n"], k=50_000)) for _ in range(2)]
    other = ["".join(f"{draw.randrange(10**9)}\n" for _ in range(50_000)) for _ in range(2)]
    characters = [
        "".join(chr(draw.randrange(0x4E00, 0x9FFF)) for _ in range(8000)) for _ in range(2)
    ]
    run = ["".join(draw.choices("ab", k=50_000)) for _ in range(2)]
    assert seconds(lambda: diff_text(few[0], few[1])) < 10
    assert seconds(lambda: diff_text(other[0], other[1])) < 10
    assert seconds(lambda: diff_json({"a": characters[0]}, {"a": characters[1]})) < 10
    assert seconds(lambda: diff_json({"a": run[0]}, {"a": run[1]})) < 10


def test_every_example_is_true() -> None:
    for module in (toolwire.tools, toolwire.tools.diff):
        result = doctest.testmod(module)
        assert result.failed == 0
        assert result.attempted > 1


def test_the_page_does_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "diffs.md").read_text(encoding="utf-8")
    _, behind = page.split("```python\n")
    example, behind = behind.split("```", 1)
    printed = behind.split("```text\n")[1].split("```")[0]
    exec(compile(example, "docs/diffs.md", "exec"), {})
    assert capsys.readouterr().out == printed
