"""Options and misuse: every mistake is a ToolwireError that names it."""

from __future__ import annotations

import pickle
import resource
from enum import Enum
from types import MappingProxyType
from typing import Any

import pytest
import toolwire

TEXT = '<tool:echo>{"a": 1}</tool>'


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"colour": "red"}, "unknown_option"),
        ({"colour": None}, "unknown_option"),
        ({"formats": ["tga"]}, "unknown_format"),
        ({"formats": []}, "invalid_option"),
        ({"formats": {"slug": "x"}}, "invalid_format"),
        ({"formats": ["tag", {"slug": "x", "body": "none"}]}, "invalid_format"),
        ({"coerce": "yes"}, "wrong_type"),
        ({"formats": 1}, "wrong_type"),
        ({"formats": {"tag"}}, "wrong_type"),
        ({"preset": "wordpress"}, "unknown_preset"),
        ({"fences": "some"}, "invalid_option"),
        ({"fences": "\ud800"}, "invalid_option"),
        ({"fences": True}, "wrong_type"),
        ({"reasoning": 1}, "wrong_type"),
        ({"max_calls": 0}, "invalid_option"),
        ({"max_calls": -1}, "invalid_option"),
        ({"max_calls": 1.5}, "invalid_option"),
        ({"max_calls": 10**30}, "invalid_option"),
        ({"max_calls": float("nan")}, "invalid_option"),
        ({"max_calls": "1"}, "wrong_type"),
        ({"max_depth": 10**6}, "invalid_option"),
        ({"aliases": {1: "b"}}, "wrong_type"),
        ({"aliases": {"a": object()}}, "wrong_type"),
        ({"tools": [{}]}, "invalid_tool"),
        ({"seen": set()}, "wrong_type"),
    ],
)
def test_misuse_is_an_error_of_its_kind(options: dict[str, Any], kind: str) -> None:
    for use in (lambda: toolwire.detect(TEXT, **options), lambda: toolwire.Detector(**options)):
        with pytest.raises(toolwire.ToolwireError) as caught:
            use()
        assert caught.value.kind == kind
        assert (caught.value.number, type(caught.value)) == toolwire.ERROR_KINDS[kind]
        named = next(iter(options)).removesuffix("s")
        assert named in str(caught.value) or kind.startswith("unknown")


def test_an_unknown_option_is_told_what_is_allowed() -> None:
    with pytest.raises(toolwire.InvalidArgumentError, match=r"colour.*formats.*max_arguments"):
        toolwire.detect(TEXT, colour="red")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"modle": "x"}, 'unknown option "modle"; nearest: model; known: formats, '),
        ({"format": "tag"}, 'unknown option "format"; nearest: formats; known: formats, '),
        ({"formats": ["hermse"]}, 'unknown format "hermse"; nearest: hermes, '),
        ({"preset": "memberpres"}, 'unknown preset "memberpres"; nearest: memberpress; known: '),
        ({"colour": "red"}, 'unknown option "colour"; known: formats, '),
    ],
)
def test_an_unknown_name_comes_with_the_nearest(options: dict[str, Any], told: str) -> None:
    with pytest.raises(toolwire.InvalidArgumentError) as caught:
        toolwire.detect(TEXT, **options)
    assert str(caught.value).startswith(told)


def test_options_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        toolwire.detect(TEXT, ["tag"])  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        toolwire.Detector(["tag"])  # type: ignore[call-arg]


def test_none_is_the_default() -> None:
    names = [
        "formats", "tools", "aliases", "legacy", "preset", "fences", "reasoning", "repair", "seen",
        "validate", "coerce", "max_input", "max_calls", "max_rejections", "max_depth",
        "max_arguments",
        "html_class",
    ]  # fmt: skip
    assert len(toolwire.detect(TEXT, **dict.fromkeys(names))) == 1


def test_options_reach_the_detector() -> None:
    def names(text: str = TEXT, **options: Any) -> list[str]:
        return [call.name for call in toolwire.detect(text, **options)]

    assert names(formats="json") == []
    assert names(formats=("tag",)) == ["echo"]
    assert names(tools=["other"]) == []
    assert names(tools=[{"name": "echo", "parameters": MappingProxyType({"type": "object"})}]) == [
        "echo"
    ]
    assert names(tools=["print"], aliases={"echo": "print"}) == ["print"]
    assert names(legacy={"echo": "print"}) == []
    assert names(preset="memberpress") == []
    assert names(tools=["echo"], preset="memberpress") == ["echo"]
    assert names(TEXT * 3, max_calls=2) == ["echo"] * 2
    assert names("<think>" + TEXT + "</think>") == []
    assert names("<think>" + TEXT + "</think>", reasoning="calls") == ["echo"]
    html = "<p class=call data-tool-name=echo data-tool-parameters='{}'></p>"
    assert (names(html), names(html, html_class="call")) == ([], ["echo"])


ARROW = {"slug": "arrow", "body": "named", "call": {"open": "=>", "name_end": ":", "close": ";"}}


@pytest.mark.parametrize(
    ("formats", "names"),
    [
        (None, ["echo", "two"]),
        ("tag", ["echo"]),
        ("hermes", ["two"]),
        ("auto", ["echo", "two"]),
        (ARROW, ["add"]),
        (MappingProxyType(ARROW), ["add"]),
        ([ARROW, "tag"], ["add", "echo"]),
        (("auto", ARROW), ["add", "echo", "two"]),
    ],
)
def test_formats_are_names_definitions_or_lists_of_them(formats: Any, names: list[str]) -> None:
    text = f'=>add:{{"a": 1}}; {TEXT} <tool_call>{{"name": "two", "arguments": {{}}}}</tool_call>'
    assert [call.name for call in toolwire.detect(text, formats=formats)] == names
    assert [call.name for call in toolwire.Detector(formats=formats).detect(text)] == names


def test_every_built_in_format_reads_its_example() -> None:
    formats, automatic = toolwire.formats(), toolwire.profile_for("auto")
    assert automatic is not None
    assert len(automatic.formats) > 50
    assert [one.slug for one in formats][:3] == ["tag", "json", "html"]
    assert len({one.slug for one in formats}) == len(formats)
    for one in formats:
        assert all((one.slug, one.models, one.body, one.example))
        found = toolwire.detect(one.example, formats=one.slug)
        assert {call.format for call in found} == {one.slug}
        # ``json`` reads the calls of ``xlam``; the other forms are read for the models alone that
        # write them.
        if one.slug not in (*automatic.formats, "xlam"):
            continue
        default = toolwire.detect(one.example)
        assert len(default) == 1
        assert default.calls[0].arguments == found.calls[0].arguments
        assert pickle.loads(pickle.dumps(one)) == one
        assert hash(one) == hash(toolwire.Format(one.slug, one.models, one.body, one.example))
        assert one != toolwire.Format(one.slug, one.models, one.body, "")


def test_profiles_are_listed_and_taken_by_name() -> None:
    profiles = toolwire.profiles()
    assert len(profiles) == len({one.slug for one in profiles}) >= 90
    formats = {one.slug for one in toolwire.formats()}
    for one in profiles:
        assert one.models
        assert set(one.formats) <= formats
        assert one.reasoning_begun is None or one.reasoning_begun in one.reasoning
        assert toolwire.profile_for(one.slug) == one
        for alias in one.aliases:
            assert toolwire.profile_for(alias) == one
        assert toolwire.Detector(model=one.slug).profile == one
        assert toolwire.Detector(model=one).profile == one
        assert hash(one) == hash(toolwire.profile_for(one.slug))
        assert repr(one).startswith(f"Profile(slug={one.slug!r}, formats=")
    assert toolwire.Detector().profile is None
    assert toolwire.Detector(model="auto").profile.slug == "auto"  # type: ignore[union-attr]


def test_a_profile_of_an_unknown_version_stays_one() -> None:
    nearest = toolwire.profile_for("deepseek-ai/DeepSeek-V3.4")
    assert nearest is not None
    assert not nearest.exact
    given = toolwire.Detector(model=nearest)
    assert given.profile == nearest
    text = toolwire.render_calls([{"name": "now", "arguments": {}}], nearest.formats[0])
    for model in (nearest, "deepseek-ai/DeepSeek-V3.4"):
        (call,) = toolwire.detect(text, model=model).calls
        assert [told.code for told in call.diagnostics] == ["nearest_version"]
    assert pickle.loads(pickle.dumps(given)).profile == nearest
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.Detector(template=nearest)  # type: ignore[arg-type]


def test_a_model_names_the_formats_unless_they_are_given() -> None:
    text = f'{TEXT} <tool_call>{{"name": "two", "arguments": {{}}}}</tool_call>'
    two = [call.name for call in toolwire.detect(text, model="Qwen/Qwen3-8B")]
    assert two == ["two"]
    orders: list[dict[str, Any]] = [
        {"formats": "tag", "model": "qwen3"},
        {"model": "qwen3", "formats": "tag"},
    ]
    for options in orders:
        assert [call.name for call in toolwire.detect(text, **options)] == ["echo"]
    with pytest.raises(toolwire.InvalidArgumentError, match="nearest: qwen3_coder, ") as caught:
        toolwire.Detector(model="qwn3-coder")
    assert caught.value.kind == "unknown_model"
    # A template that writes nothing known adds nothing to a model.
    orders = [{"template": "x", "model": "qwen3"}, {"model": "qwen3", "template": "x"}]
    for options in orders:
        assert toolwire.Detector(**options).profile == toolwire.profile_for("qwen3")


class Nested(Enum):
    A = 1


@pytest.mark.parametrize("text", [None, 1, ["x"], object(), Nested.A, iter("x")])
def test_text_of_a_wrong_type(text: Any) -> None:
    for use in (toolwire.detect, toolwire.Detector().detect, toolwire.Detector().stream().feed):
        with pytest.raises(toolwire.WrongTypeError, match=type(text).__name__):
            use(text)
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.replace(text, [], str)


def test_every_kind_has_a_class_that_is_also_python_s() -> None:
    python = {
        toolwire.InvalidArgumentError: ValueError,
        toolwire.WrongTypeError: TypeError,
        toolwire.InvalidStateError: RuntimeError,
    }
    numbers = [number for number, _ in toolwire.ERROR_KINDS.values()]
    assert len(set(numbers)) == len(numbers) >= 10
    for slug, (number, class_) in toolwire.ERROR_KINDS.items():
        assert slug == slug.lower().replace(" ", "_")
        assert number > 0
        assert issubclass(class_, toolwire.ToolwireError)
        assert issubclass(class_, python[class_])
    assert {class_ for _, class_ in toolwire.ERROR_KINDS.values()} == set(python)


def test_errors_are_picklable_and_show_their_message() -> None:
    error = toolwire.WrongTypeError("text must be str", "wrong_type", 7)
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), str(twin), twin.kind, twin.number) == (
        type(error),
        str(error),
        "wrong_type",
        7,
    )
    assert type(error).__module__ == "toolwire"


@pytest.mark.parametrize(
    ("capacity", "kind"),
    [(0, "invalid_option"), (-1, "invalid_option"), ("1", "wrong_type"), (True, "wrong_type")],
)
def test_a_capacity_is_a_count(capacity: Any, kind: str) -> None:
    with pytest.raises(toolwire.ToolwireError, match="capacity") as caught:
        toolwire.Seen(capacity)
    assert caught.value.kind == kind


def test_seen_is_shared_and_bounded() -> None:
    seen = toolwire.Seen(capacity=2)
    detector = toolwire.Detector(seen=seen)
    texts = [f'<tool:echo>{{"n": {n}}}</tool>' for n in range(3)]
    assert [len(detector.detect(text)) for text in [*texts, texts[2], texts[0]]] == [1, 1, 1, 0, 1]
    assert len(seen) == 2
    assert len(toolwire.detect(texts[0], seen=seen)) == 0
    seen.clear()
    assert len(seen) == 0
    assert len(detector.detect(texts[0])) == 1
    toolwire.detect('{"name": "echo", "arguments": {}, "id": "x1"}', seen=seen)
    assert "x1" in seen
    assert "x2" not in seen


def test_detectors_of_equal_options_share_their_forms() -> None:
    arrow = {
        "slug": "arrow",
        "body": "named",
        "call": {"open": "=>", "name_end": ":", "close": ";"},
    }

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    kept = [toolwire.Detector(formats=["auto", arrow], max_calls=9) for _ in range(2)]
    before = resident()
    kept += [toolwire.Detector(max_calls=9, formats=["auto", arrow]) for _ in range(200)]
    # Each has 850 KB of its own otherwise.
    assert resident() - before < 20_000_000
    assert {detector.detect('=>add:{"a": 1};')[0].name for detector in kept} == {"add"}
