"""Compare grammars with the ones that xgrammar has by hand for the same families, in one run.

    python tests/constrain/compare.py TEKKEN.json

Both are structural tags of the same tools, compiled by the same compiler with the vocabulary of
Tekken, without a cache. The text is what ``render_message`` writes, in tokens that are as long as
can be; the mask is asked for in front of each. A table of medians and ratios is printed. "Same
words" is the other's grammar where it keeps the words of ours out of reasoning and arguments, which
by itself it does not.
"""

from __future__ import annotations

import base64
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import toolwire
from backends import import_xgrammar

from examples import CALLS, TOOLS

#: The families of both: the name here, and that of the style there.
PAIRS = {
    "qwen3": "qwen_3",
    "qwen3_coder": "qwen_3_coder",
    "mimo": "mimo",
    "deepseek_r1": "deepseek_r1",
    "deepseek_v31": "deepseek_v3_1",
    "deepseek_v32": "deepseek_v3_2",
    "deepseek_v4": "deepseek_v4",
    "kimi_k2": "kimi",
    "glm47": "glm_4_7",
    "minimax_m2": "minimax",
    "gpt_oss": "harmony",
    "llama3": "llama",
    "exaone4": "exaone",
}
#: How often each grammar is made and compiled.
TIMES = 3
#: How many tools there are: those of the tests, under several names.
COUNT = 10


class Tekken:
    """A vocabulary of Mistral's tokenizer Tekken, as xgrammar takes it."""

    def __init__(self, path: Path, xgrammar: Any) -> None:
        data = json.loads(path.read_text())
        config = data["config"]
        size, special = config["default_vocab_size"], config["default_num_special_tokens"]
        ranked = data["vocab"][: size - special]
        words = [base64.b64decode(one["token_bytes"]) for one in ranked]
        tokens = [f"<SPECIAL_{place}>".encode() for place in range(special)] + words
        self.size = size
        self.ids = {word: place + special for place, word in enumerate(words)}
        self.longest = max(map(len, words))
        info = xgrammar.TokenizerInfo(tokens, xgrammar.VocabType.RAW, stop_token_ids=[2])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.matcher = xgrammar.GrammarMatcher

    def encode(self, text: str) -> Iterator[int]:
        """Give the tokens of a text, each as long as can be."""
        data = text.encode()
        while data:
            lengths = range(min(self.longest, len(data)), 0, -1)
            length = next(length for length in lengths if data[:length] in self.ids)
            yield self.ids[data[:length]]
            data = data[length:]

    def masks(self, compiled: Any, text: str) -> list[float]:
        """Measure the masks of a text, in milliseconds; none where it is refused."""
        matcher = self.matcher(compiled)
        bits = numpy.zeros((1, (self.size + 31) // 32), dtype=numpy.int32)
        times = []
        for token in self.encode(text):
            times.append(timed(partial(matcher.fill_next_token_bitmask, bits))[0])
            if not matcher.accept_token(token):
                return []
        return times


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give how many milliseconds of the processor some work takes, and its result."""
    start = time.process_time()
    result = work()
    return (time.process_time() - start) * 1000, result


def median(work: Callable[[], Any]) -> tuple[float, Any]:
    """Do some work several times, and give the median of its time, and its result."""
    runs = [timed(work) for _ in range(TIMES)]
    return statistics.median(one for one, _ in runs), runs[0][1]


def columns(pairs: Iterable[tuple[float, Any]]) -> tuple[list[float], list[Any]]:
    """Give the times and the results of both grammars."""
    times, results = zip(*pairs, strict=True)
    return list(times), list(results)


def many_tools() -> list[dict[str, Any]]:
    """Give the tools; the first ones have the names of those in the tests."""
    several = [
        {**tool, "name": tool["name"] + (f"_{turn}" if turn else "")}
        for turn in range(COUNT)
        for tool in TOOLS
    ]
    return several[:COUNT]


def texts(
    profile: toolwire.Profile, tools: list[dict[str, Any]], stop: tuple[str, ...]
) -> Iterator[str]:
    """Write a message with reasoning and without, as the family's prompts leave it to the model."""
    for reasoning in ("So it is, and I look for it.", "") if profile.reasoning else ("",):
        message = {"reasoning": reasoning, "text": "", "calls": CALLS[4]}
        text = toolwire.render_message(message, profile, tools=tools).rstrip()
        for token in stop:
            text = text.removesuffix(token)
        yield text
        # The prompt may have opened, or opened and closed, the reasoning.
        for begin in ("<think>\n", "<think>", "<think>\n\n</think>\n\n", "</think>\n\n"):
            if text.startswith(begin):
                yield text.removeprefix(begin)


def nodes(tag: Any) -> Iterator[dict[str, Any]]:
    """Give the nodes of a structural tag, in order."""
    if isinstance(tag, dict):
        if isinstance(tag.get("type"), str):
            yield tag
        tag = list(tag.values())
    if isinstance(tag, list):
        for part in tag:
            yield from nodes(part)


def with_words(theirs: dict[str, Any], ours: dict[str, Any], reasons: bool) -> dict[str, Any]:
    """Give the other's tag, with what ours keeps out of the reasoning and of arguments."""
    lists = [node["excludes"] for node in nodes(ours) if node["type"] == "any_text"]
    in_reasoning = lists.pop(0) if reasons and lists else []
    # Texts in quotes have more that they may not hold.
    in_arguments: list[str] = min(lists, key=len, default=[])
    held: dict[str, Any] = json.loads(json.dumps(theirs))
    for node in nodes(held):
        if node["type"] == "any_text":
            node["excludes"] = sorted({*node.get("excludes", []), *in_reasoning})
        elif node["type"] == "json_schema" and in_arguments:
            node["excludes"] = in_arguments
    return held


class Row:
    """The figures of one family."""

    def __init__(self, vocabulary: Tekken, xgrammar: Any, slug: str, style: str) -> None:
        profile = next(one for one in toolwire.profiles() if one.slug == slug)
        tools = many_tools()
        shaped = [{"type": "function", "function": {**tool, "strict": True}} for tool in tools]

        stop = toolwire.constrain(tools, model=profile).stop

        def ours(text: bool = False) -> Any:
            # In the other's grammars of required calls no text stands in front of them.
            constraint = toolwire.constrain(tools, model=profile, tool_choice="required", text=text)
            return constraint.request["response_format"]

        def theirs() -> Any:
            made = xgrammar.get_model_structural_tag(
                style, tools=shaped, tool_choice="required", max_whitespace_cnt=1
            )
            return made.model_dump(by_alias=True, exclude_none=True)

        compiler = vocabulary.compiler
        self.made, tags = columns(median(make) for make in (ours, theirs))
        compiling = (partial(compiler.compile_structural_tag, json.dumps(tag)) for tag in tags)
        self.compiled, grammars = columns(map(median, compiling))
        held = with_words(tags[1], tags[0], bool(profile.reasoning))
        others = (
            partial(compiler.compile_structural_tag, json.dumps(one))
            for one in (held, ours(text=True))
        )
        (self.held, self.with_text), _ = columns(map(median, others))
        # A style of the other may want another layout of the same call: the first text that it
        # takes is measured.
        self.masks: list[float | None] = []
        for grammar in grammars:
            found = (vocabulary.masks(grammar, text) for text in texts(profile, tools, stop))
            times = next((one for one in found if one), [])
            self.masks.append(statistics.mean(times) if times else None)


def shown(pair: list[Any]) -> str:
    """Write two figures and their ratio."""
    ours, theirs = pair
    if ours is None or theirs is None:
        return " | ".join("refused" if one is None else f"{one:.2f}" for one in pair) + " | -"
    return f"{ours:.2f} | {theirs:.2f} | {ours / theirs:.2f}"


def main(path: Path) -> None:
    """Print the table."""
    xgrammar = import_xgrammar()
    vocabulary = Tekken(path, xgrammar)
    heads = "made | theirs | ratio | compiled | theirs | ratio | same words | ratio"
    heads += " | with text | mask | theirs | ratio"
    print(f"| family | {heads} |")
    print("|---" * 13 + "|")
    for slug, style in PAIRS.items():
        row = Row(vocabulary, xgrammar, slug, style)
        alike = f"{row.held:.2f} | {row.compiled[0] / row.held:.2f}"
        compiled = f"{shown(row.compiled)} | {alike} | {row.with_text:.2f}"
        cells = [shown(row.made), compiled, shown(row.masks)]
        print(f"| {slug} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
