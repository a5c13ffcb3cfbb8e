"""The backends that hold a text to a grammar, over one small vocabulary."""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy

#: Words that a model's vocabulary has beside the single bytes.
WORDS = [
    "tool",
    "call",
    "name",
    "arguments",
    "parameters",
    "function",
    "invoke",
    "parameter",
    "true",
    "false",
    "null",
    "None",
    "True",
    "city",
    "text",
    "Rome",
    "think",
    "end",
    "start",
    "and",
    "the",
    "It",
    "is",
    "a",
    "of",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "</",
    "<|",
    "|>",
    "]]",
    "\n\n",
    '{"',
    '":',
    '"}',
    '",',
    '["',
    '"]',
    "```",
    "~~~",
    "</think>",
    "</tool_call>",
    "</function>",
    "</parameter>",
    "<think>",
    "é",
    "漢",
    "🙂",
]


def vocabulary() -> list[bytes]:
    """Give the tokens: every byte, and some words."""
    words = [word.encode() for word in WORDS if len(word.encode()) > 1]
    spaced = [b" " + word for word in words if word.isalpha()]
    return [bytes([byte]) for byte in range(256)] + list(dict.fromkeys(words + spaced))


TOKENS = vocabulary()
EOS = len(TOKENS)


def import_xgrammar() -> Any:
    """Import xgrammar without torch, which it wants for the names of types alone."""
    import tvm_ffi  # noqa: F401

    torch = types.ModuleType("torch")
    for name in ("Tensor", "LongTensor", "FloatTensor"):
        setattr(torch, name, type(name, (), {}))
    torch.int32 = "int32"  # type: ignore[attr-defined]
    torch.tensor = torch.full = lambda *_, **__: None  # type: ignore[attr-defined]
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)  # type: ignore[attr-defined]
    transformers = types.ModuleType("transformers")
    for name in (
        "PreTrainedTokenizerBase",
        "PreTrainedTokenizerFast",
        "LogitsProcessor",
        "PretrainedConfig",
        "AutoConfig",
    ):
        setattr(transformers, name, type(name, (), {}))
    sys.modules.setdefault("torch", torch)
    sys.modules.setdefault("transformers", transformers)
    import xgrammar

    return xgrammar


class Run:
    """One text that is written under a mask."""

    def mask(self) -> Sequence[int]:
        """Give the tokens that may come next; EOS where the text may end."""
        raise NotImplementedError

    def take(self, token: int) -> None:
        """Take a token that the mask allows."""
        raise NotImplementedError

    def tries(self, token: int) -> bool:
        """Take a token if it may come next."""
        raise NotImplementedError

    def may_end(self) -> bool:
        """Whether the text may end here."""
        raise NotImplementedError


class Engine:
    """What reads grammars of one notation."""

    def compile(self, grammar: Any) -> Any:
        """Compile a grammar; an error where it cannot be read."""
        raise NotImplementedError

    def run(self, compiled: Any) -> Run:
        """Start a text."""
        raise NotImplementedError

    def accepts(self, compiled: Any, text: str) -> bool:
        """Whether a whole text is in the language of the grammar."""
        run = self.run(compiled)
        return all(run.tries(byte) for byte in text.encode()) and run.may_end()

    def ends(self, compiled: Any, text: str) -> list[int]:
        """Give the places at which the text, cut there, is in the language of the grammar."""
        run = self.run(compiled)
        ends = [0] if run.may_end() else []
        for place, character in enumerate(text):
            if not all(run.tries(byte) for byte in character.encode()):
                break
            if run.may_end():
                ends.append(place + 1)
        return ends


class XgrammarRun(Run):
    """A text under a mask of xgrammar."""

    def __init__(self, xgrammar: Any, compiled: Any) -> None:
        self.matcher = xgrammar.GrammarMatcher(compiled)
        self.bits = numpy.zeros((1, (EOS + 32) // 32), dtype=numpy.int32)

    def mask(self) -> Sequence[int]:
        """Give the tokens that may come next."""
        self.bits.fill(-1)
        self.matcher.fill_next_token_bitmask(self.bits)
        bits = numpy.unpackbits(self.bits.view(numpy.uint8), bitorder="little")
        return list(numpy.flatnonzero(bits[: EOS + 1]).tolist())

    def take(self, token: int) -> None:
        """Take a token that the mask allows."""
        assert self.matcher.accept_token(token)

    def tries(self, token: int) -> bool:
        """Take a token if it may come next."""
        return bool(self.matcher.accept_token(token))

    def may_end(self) -> bool:
        """Whether the text may end here."""
        return bool(self.matcher.is_completed())


class Xgrammar(Engine):
    """Reads structural tags and GBNF."""

    def __init__(self) -> None:
        self.module = import_xgrammar()
        info = self.module.TokenizerInfo(
            [*TOKENS, b"<eos>"], self.module.VocabType.RAW, stop_token_ids=[EOS]
        )
        self.compiler = self.module.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compile(self, grammar: Any) -> Any:
        """Compile a grammar."""
        if isinstance(grammar, str):
            return self.compiler.compile_grammar(self.module.Grammar.from_ebnf(grammar))
        tag = {"type": "structural_tag", "format": grammar}
        return self.compiler.compile_structural_tag(json.dumps(tag))

    def run(self, compiled: Any) -> Run:
        """Start a text."""
        return XgrammarRun(self.module, compiled)

    def accepts(self, compiled: Any, text: str) -> bool:
        """Whether a whole text is in the language of the grammar."""
        matcher = self.module.GrammarMatcher(compiled)
        return bool(matcher.accept_string(text) and matcher.is_completed())


class LarkRun(Run):
    """A text under a mask of llguidance."""

    def __init__(self, matcher: Any) -> None:
        self.matcher = matcher

    def mask(self) -> Sequence[int]:
        """Give the tokens that may come next."""
        mask = numpy.frombuffer(self.matcher.compute_bitmask(), dtype=numpy.uint8)
        if self.matcher.is_error():
            raise ValueError(self.matcher.get_error())
        bits = numpy.unpackbits(mask, bitorder="little")
        return list(numpy.flatnonzero(bits[: EOS + 1]).tolist())

    def take(self, token: int) -> None:
        """Take a token that the mask allows."""
        assert self.matcher.consume_token(token), self.matcher.get_error()

    def tries(self, token: int) -> bool:
        """Take a token if it may come next."""
        return bool(self.matcher.try_consume_tokens([token]) == 1)

    def may_end(self) -> bool:
        """Whether the text may end here."""
        return bool(self.matcher.is_accepting())


class Llguidance(Engine):
    """Reads Lark."""

    def __init__(self) -> None:
        import llguidance
        from llguidance._tokenizer import TokenizerWrapper

        class Tokenizer:
            tokens = (*TOKENS, b"<eos>")
            eos_token_id = EOS
            bos_token_id = None
            special_token_ids = (EOS,)

            def __call__(self, text: bytes) -> list[int]:
                return list(text)

        self.module = llguidance
        self.tokenizer = llguidance.LLTokenizer(TokenizerWrapper(Tokenizer()), slices=[])

    def compile(self, grammar: str) -> Any:
        """Compile a grammar: a matcher at the start of a text."""
        matcher = self.module.LLMatcher(self.tokenizer, grammar)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def run(self, compiled: Any) -> Run:
        """Start a text."""
        return LarkRun(compiled.deep_copy())

    def accepts(self, compiled: Any, text: str) -> bool:
        """Whether a whole text is in the language of the grammar."""
        matcher = compiled.deep_copy()
        data = list(text.encode())
        return bool(matcher.try_consume_tokens(data) == len(data) and matcher.is_accepting())
