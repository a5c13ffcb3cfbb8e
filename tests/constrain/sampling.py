"""Writes random texts under a mask, as a model would that knows nothing."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from backends import EOS, TOKENS

#: The most tokens of a text.
MOST = 400
#: From so many tokens on, a text is long.
LONG = 120
#: How many tokens are allowed where text is written.
WIDE = 100
#: The tokens that may end something that is open.
ENDS = {b'"', b"'", b"\n", b"<", b"</", b"<|", b"]", b"}", b"`", b"```", b"[", b")"}

#: How many texts ended, by the program that held them to their grammar, and how many did not.
ENDED: Counter[str] = Counter()
UNFINISHED: Counter[str] = Counter()


def generate(backend: Any, compiled: Any, seed: int, hints: list[bytes]) -> bytes | None:
    """Write a random text of the grammar; None where it did not end, or is not UTF-8.

    ``hints`` are texts that may end something: a writer that knows nothing would not find them.
    """
    text = attempt(backend, compiled, seed, hints)
    tally = UNFINISHED if text is None else ENDED
    tally[type(backend).__name__] += 1
    return text


def attempt(backend: Any, compiled: Any, seed: int, hints: list[bytes]) -> bytes | None:
    """Write a random text, if it ends."""
    choose = random.Random(seed)
    run = backend.run(compiled)
    out = b""
    hint = b""
    for count in range(MOST):
        # A long text is brought to its end.
        is_long = count > LONG
        allowed = run.mask()
        if not allowed:
            raise AssertionError(f"nothing may follow {out!r}")
        if EOS in allowed and (len(allowed) == 1 or choose.random() < (0.9 if is_long else 0.2)):
            return out if is_whole(out) else None
        allowed = [token for token in allowed if token != EOS]
        if (
            not hint
            and len(allowed) > WIDE
            and hints
            and choose.random() < (0.6 if is_long else 0.25)
        ):
            hint = choose.choice(hints)
        if hint and hint[0] in allowed:
            token, hint = hint[0], hint[1:]
        else:
            token, hint = pick(allowed, out, choose, 0.8 if is_long else 0.4), b""
        run.take(token)
        out += TOKENS[token]
    return None


def pick(allowed: list[int], out: bytes, choose: random.Random, ending: float) -> int:
    """Choose a token: more often one that ends what is open."""
    if len(allowed) < 40:
        return choose.choice(allowed)
    ends = [token for token in allowed if TOKENS[token] in ENDS]
    if ends and choose.random() < ending:
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
