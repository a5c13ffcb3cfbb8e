"""llama.cpp's own grammar code, over the vocabulary of the tests, without a model.

The library is that of the npm package ``@node-llama-cpp/linux-x64``, of which only ``libllama`` is
used, through its C interface; ``llama-cpp.txt`` has the package's version, in which llama.cpp is
v0.5.0. It takes a vocabulary from a GGUF file that has no tensors.
"""

from __future__ import annotations

import ctypes
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backends import EOS, TOKENS, Engine, Run

#: The kinds of values in a GGUF file: see docs/gguf.md of ggml.
UINT32, INT32, STRING, ARRAY = 4, 5, 8, 9
NORMAL, CONTROL = 1, 3


def printable(token: bytes) -> str:
    """Write a token as the vocabulary of GPT-2 does: each byte as a character that can be seen."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters.update({byte: chr(256 + place) for place, byte in enumerate(hidden)})
    return "".join(letters[byte] for byte in token)


def text(value: str) -> bytes:
    """Write a text of a GGUF file."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf() -> bytes:
    """Write the vocabulary as a GGUF file without tensors."""
    words = [*map(printable, TOKENS), "<eos>"]
    kinds = [NORMAL] * len(TOKENS) + [CONTROL]
    members = {
        "general.architecture": struct.pack("<I", STRING) + text("llama"),
        "tokenizer.ggml.model": struct.pack("<I", STRING) + text("gpt2"),
        "tokenizer.ggml.pre": struct.pack("<I", STRING) + text("gpt-2"),
        "tokenizer.ggml.tokens": struct.pack("<IIQ", ARRAY, STRING, len(words))
        + b"".join(map(text, words)),
        "tokenizer.ggml.token_type": struct.pack("<IIQ", ARRAY, INT32, len(kinds))
        + struct.pack(f"<{len(kinds)}i", *kinds),
        "tokenizer.ggml.merges": struct.pack("<IIQ", ARRAY, STRING, 1) + text("a b"),
        "tokenizer.ggml.bos_token_id": struct.pack("<II", UINT32, EOS),
        "tokenizer.ggml.eos_token_id": struct.pack("<II", UINT32, EOS),
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(members))
    return head + b"".join(text(key) + value for key, value in members.items())


class ModelOptions(ctypes.Structure):
    """`llama_model_params` of llama.cpp v0.5.0."""

    _fields_ = (
        ("devices", ctypes.c_void_p),
        ("tensor_buft_overrides", ctypes.c_void_p),
        ("n_gpu_layers", ctypes.c_int32),
        ("split_mode", ctypes.c_int),
        ("load_mode", ctypes.c_int),
        ("lazy_mode", ctypes.c_int),
        ("main_gpu", ctypes.c_int32),
        ("tensor_split", ctypes.c_void_p),
        ("progress_callback", ctypes.c_void_p),
        ("progress_callback_user_data", ctypes.c_void_p),
        ("kv_overrides", ctypes.c_void_p),
        ("vocab_only", ctypes.c_bool),
        ("check_tensors", ctypes.c_bool),
        ("use_extra_bufts", ctypes.c_bool),
        ("no_host", ctypes.c_bool),
        ("no_alloc", ctypes.c_bool),
        ("load_mtp", ctypes.c_bool),
    )


class Candidate(ctypes.Structure):
    """`llama_token_data`."""

    _fields_ = (("id", ctypes.c_int32), ("logit", ctypes.c_float), ("p", ctypes.c_float))


class Candidates(ctypes.Structure):
    """`llama_token_data_array`."""

    _fields_ = (
        ("data", ctypes.POINTER(Candidate)),
        ("size", ctypes.c_size_t),
        ("selected", ctypes.c_int64),
        ("sorted", ctypes.c_bool),
    )


Logger = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


class Library:
    """The functions of the library, and the vocabulary in it."""

    def __init__(self, folder: Path) -> None:
        (path,) = folder.rglob("libllama.v*.so")
        self.c = c = ctypes.CDLL(str(path))
        pointer = ctypes.c_void_p
        for name, result, arguments in (
            ("llama_log_set", None, [Logger, pointer]),
            ("llama_model_default_params", ModelOptions, []),
            ("llama_model_load_from_file", pointer, [ctypes.c_char_p, ModelOptions]),
            ("llama_model_get_vocab", pointer, [pointer]),
            ("llama_vocab_n_tokens", ctypes.c_int32, [pointer]),
            (
                "llama_sampler_init_grammar",
                pointer,
                [pointer, ctypes.c_char_p, ctypes.c_char_p],
            ),
            ("llama_sampler_clone", pointer, [pointer]),
            ("llama_sampler_free", None, [pointer]),
            ("llama_sampler_apply", None, [pointer, ctypes.POINTER(Candidates)]),
            ("llama_sampler_accept", None, [pointer, ctypes.c_int32]),
        ):
            function = getattr(c, name)
            function.restype, function.argtypes = result, arguments
        # The library writes what it does to the standard error; a fault is kept for the test.
        self.said: list[str] = []
        self.logger = Logger(lambda _, line, __: self.said.append(line.decode(errors="replace")))
        c.llama_log_set(self.logger, None)
        options = c.llama_model_default_params()
        # It is true in this version: another layout of the structure would show another value.
        assert (options.use_extra_bufts, options.n_gpu_layers) == (True, -1)
        options.vocab_only = True
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(gguf())
            file.flush()
            model = c.llama_model_load_from_file(file.name.encode(), options)
        assert model, "".join(self.said)
        self.vocab = c.llama_model_get_vocab(model)
        assert c.llama_vocab_n_tokens(self.vocab) == EOS + 1


class Sampler:
    """A grammar, at one place of a text."""

    def __init__(self, library: Library, pointer: int) -> None:
        self.library = library
        self.pointer = pointer

    def copy(self) -> Sampler:
        """Make another one at the same place."""
        return Sampler(self.library, self.library.c.llama_sampler_clone(self.pointer))

    def allowed(self, tokens: Sequence[int]) -> list[int]:
        """Give those of the tokens that may come next."""
        data = (Candidate * len(tokens))(*(Candidate(token, 0.0, 0.0) for token in tokens))
        candidates = Candidates(data, len(tokens), -1, False)
        self.library.c.llama_sampler_apply(self.pointer, ctypes.byref(candidates))
        return [one.id for one in data[: candidates.size] if one.logit == 0.0]

    def take(self, token: int) -> None:
        """Take a token that may come next; for another one the library throws."""
        self.library.c.llama_sampler_accept(self.pointer, token)

    def __del__(self) -> None:
        self.library.c.llama_sampler_free(self.pointer)


class LlamaRun(Run):
    """A text under a mask of llama.cpp."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def mask(self) -> Sequence[int]:
        """Give the tokens that may come next."""
        return self.sampler.allowed(range(EOS + 1))

    def take(self, token: int) -> None:
        """Take a token that the mask allows."""
        self.sampler.take(token)

    def tries(self, token: int) -> bool:
        """Take a token if it may come next."""
        if not self.sampler.allowed([token]):
            return False
        self.sampler.take(token)
        return True

    def may_end(self) -> bool:
        """Whether the text may end here."""
        return bool(self.sampler.allowed([EOS]))


class LlamaCpp(Engine):
    """Reads GBNF."""

    def __init__(self, folder: Path) -> None:
        self.library = Library(folder)

    def compile(self, grammar: Any) -> Sampler:
        """Compile a grammar."""
        library = self.library
        library.said.clear()
        pointer = library.c.llama_sampler_init_grammar(library.vocab, grammar.encode(), b"root")
        if not pointer:
            raise ValueError("".join(library.said))
        return Sampler(library, pointer)

    def run(self, compiled: Sampler) -> Run:
        """Start a text."""
        return LlamaRun(compiled.copy())
