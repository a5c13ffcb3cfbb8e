"""The JSON and the comment of a model's reply.

>>> from toolwire.issue_agent import clean_user_comment, extract_json_from_llm_response
>>> extract_json_from_llm_response('Here: {"a": {"b": {"c": 1}}} and {"summary": "ok"}.')
{'summary': 'ok'}
>>> clean_user_comment('{"user_comment": "Fixed in version 2."}')
'Fixed in version 2.'

With ``legacy=True`` these behave as the live agent's functions of these names.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import toolwire
from toolwire import _native

__all__ = [
    "EXPECTED_KEYS",
    "clean_user_comment",
    "extract_and_parse_json_response",
    "extract_json_from_llm_response",
    "extract_user_comment_from_response",
]

EXPECTED_KEYS = ("issue_type", "user_comment", "summary")
"""The keys that tell an analysis from other objects in a reply."""

_NO_COMMENT = "I've analyzed this issue. Please let me know if you need any clarification."
_PROCESSED = (
    "I've completed the analysis of this issue. The results have been processed successfully."
)


class _Nothing:
    """Stands for text that is no JSON, since None is a value of JSON."""


def _first(candidates: list[str], wanted: tuple[str, ...] = ()) -> Any:
    for candidate in candidates:
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if not wanted or (isinstance(value, dict) and any(key in value for key in wanted)):
            return value
    return _Nothing


def extract_json_from_llm_response(
    text: str, *, legacy: bool = False, repair: Literal["off", "safe"] | None = None
) -> Any:
    """Give the one JSON value that a reply is about, or None.

    It is looked for as ``toolwire.extract_json`` does, an object with one of ``EXPECTED_KEYS``
    before others. The live agent tries the first code block and the text between the first and the
    last brace only.
    """
    if not legacy:
        return toolwire.extract_json(text, keys=EXPECTED_KEYS, repair=repair)
    value = _first(_native.legacy_json_candidates(text))
    return None if value is _Nothing else value


def extract_and_parse_json_response(
    text: str, *, legacy: bool = False, repair: Literal["off", "safe"] | None = None
) -> Any:
    """Give the JSON value of a reply.

    The live agent finds no object that is nested deeper than two levels, or with braces in its
    texts.

    Raises ``json.JSONDecodeError`` when there is none.
    """
    if legacy:
        any_value, objects = _native.legacy_object_candidates(text)
        value = _first(any_value)
        if value is _Nothing:
            value = _first(objects, EXPECTED_KEYS)
    else:
        # A reply that is `null` as a whole is no analysis.
        found = toolwire.extract_json(text, keys=EXPECTED_KEYS, repair=repair)
        value = _Nothing if found is None else found
    if value is _Nothing:
        raise json.JSONDecodeError("Could not extract valid JSON from response", text, 0)
    return value


def clean_user_comment(comment: Any, *, legacy: bool = False) -> str:
    """Give the text of a ``user_comment``.

    JSON is unwrapped, and a comment that says nothing becomes a polite sentence. A value that is no
    text is written as JSON first. The live agent also deletes every ``{…}``, and raises
    ``TypeError`` for a value that is no text.
    """
    if legacy:
        return _live_comment(comment)
    if comment is None or comment is False:
        return _native.clean_comment("")
    return _native.clean_comment(
        comment if isinstance(comment, str) else json.dumps(comment, default=str)
    )


def _live_comment(comment: Any) -> str:
    if not comment:
        return _NO_COMMENT
    try:
        inner = json.loads(comment)
    except (ValueError, RecursionError):
        inner = None
    if not isinstance(inner, dict):
        return _native.legacy_comment_text(comment)
    if "user_comment" in inner:
        return _live_comment(inner["user_comment"])
    for key in ("message", "content"):
        if key in inner:
            return str(inner[key])
    return _PROCESSED


def extract_user_comment_from_response(text: str, *, legacy: bool = False) -> str:
    """Give a comment out of a reply that is no JSON: a marked part, or the first long line.

    The live agent does not decode escapes in it, and ends it at an escaped quote.
    """
    if not legacy:
        return _native.comment_from_reply(text)
    field = _native.legacy_comment_field(text)
    return _native.legacy_comment_line(text) if field is None else _live_comment(field)
