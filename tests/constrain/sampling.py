"""Writes random texts under a mask, as a model would that knows nothing."""

from __future__ import annotations

import random
from typing import Any

from backends import EOS, TOKENS

#: The most tokens of a text.
MOST = 400
#: The tokens that make trouble, which are taken more often.
TROUBLE = [n for n, token in enumerate(TOKENS) if not token.isalnum()]


def generate(backend: Any, compiled: Any, seed: int) -> bytes | None:
    """A random text of the grammar; None where it did not end."""
    choose = random.Random(seed)
    run = backend.run(compiled)
    out = b""
    for _ in range(MOST):
        allowed = run.mask()
        if not allowed:
            raise AssertionError(f"nothing may follow {out!r}")
        if EOS in allowed and (len(allowed) == 1 or choose.random() < 0.2):
            return out
        allowed = [token for token in allowed if token != EOS]
        token = pick(allowed, out, choose)
        run.take(token)
        out += TOKENS[token]
    return None


def pick(allowed: list[int], out: bytes, choose: random.Random) -> int:
    """A token: more often one that ends what is open, or makes trouble."""
    if len(allowed) < 40:
        return choose.choice(allowed)
    ends = [token for token in allowed if TOKENS[token][:1] in b'<"\n]}`|']
    weight = choose.random()
    if ends and weight < 0.35:
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
