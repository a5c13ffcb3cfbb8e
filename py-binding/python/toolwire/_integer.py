"""Integers of any size: JSON text can hold them, but Python refuses to write them."""

from __future__ import annotations

__all__ = ["writable"]

LONGEST = 2000
"""The bits of a number that is written with all its digits."""


def writable(number: int) -> int | str:
    """Give a number that ``json.dumps`` writes, or a text that counts its digits.

    Python refuses to write integers of thousands of digits, because that takes quadratic time.

    >>> writable(7), writable(10**5000)
    (7, '<int with about 5000 digits>')
    """
    if number.bit_length() <= LONGEST:
        return number
    return f"<int with about {number.bit_length() * 0.30103:.0f} digits>"
