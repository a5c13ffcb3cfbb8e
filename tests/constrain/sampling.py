"""Writes random texts under a mask, as a model would that knows nothing."""

from __future__ import annotations

import random
from typing import Any

from backends import EOS, TOKENS

#: The most tokens of a text.
MOST = 400
#: How many tokens are allowed where text is written.
WIDE = 100
#: The tokens that may end something that is open.
ENDS = {b'"', b"'", b"\n", b"<", b"</", b"<|", b"]", b"}", b"`", b"```", b"[", b")"}


def generate(backend: Any, compiled: Any, seed: int, hints: list[bytes]) -> bytes | None:
    """Write a random text of the grammar; None where it did not end, or is not UTF-8.

    ``hints`` are texts that may end something: a writer that knows nothing would not find them.
    """
    choose = random.Random(seed)
    run = backend.run(compiled)
    out = b""
    hint = b""
    for _ in range(MOST):
        allowed = run.mask()
        if not allowed:
            raise AssertionError(f"nothing may follow {out!r}")
        if EOS in allowed and (len(allowed) == 1 or choose.random() < 0.2):
            return out if is_whole(out) else None
        allowed = [token for token in allowed if token != EOS]
        if not hint and len(allowed) > WIDE and hints and choose.random() < 0.25:
            hint = choose.choice(hints)
        if hint and hint[0] in allowed:
            token, hint = hint[0], hint[1:]
        else:
            token, hint = pick(allowed, out, choose), b""
        run.take(token)
        out += TOKENS[token]
    return None


def pick(allowed: list[int], out: bytes, choose: random.Random) -> int:
    """Choose a token: more often one that ends what is open."""
    if len(allowed) < 40:
        return choose.choice(allowed)
    ends = [token for token in allowed if TOKENS[token] in ENDS]
    if ends and choose.random() < 0.4:
        return choose.choice(ends)
    # Half a character is rarely followed by its other half.
    whole = [token for token in allowed if is_whole(TOKENS[token]) or out[-1:] >= b"\x80"]
    return choose.choice(whole or allowed)


def is_whole(token: bytes) -> bool:
    """Whether a token is whole characters."""
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
