"""The keywords of schemas: what a grammar holds of them, and what is a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

#: The columns of the table in docs/constrain.md.
XGRAMMAR, LLGUIDANCE, OWN = "structural_tag", "lark", "gbnf, and values that are not plain JSON"
COLUMNS = (XGRAMMAR, LLGUIDANCE, OWN)
#: The columns in which a keyword is held.
ALL, BOTH, NONE = frozenset(COLUMNS), frozenset({XGRAMMAR, LLGUIDANCE}), frozenset[str]()


@dataclass(frozen=True)
class Keyword:
    """A schema with a keyword, and values of which the keyword allows the right ones alone."""

    keyword: str
    schema: dict[str, Any]
    right: list[Any]
    wrong: list[Any]
    held: frozenset[str] = ALL
    #: The definitions to which the schema refers.
    definitions: dict[str, Any] | None = None

    def tool(self) -> dict[str, Any]:
        """Give a tool with one argument of this schema."""
        parameters = {"type": "object", "properties": {"v": self.schema}, "required": ["v"]}
        return {"name": "t", "parameters": {**parameters, **(self.definitions or {})}}


TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
PAIR = {"a": INTEGER, "b": TEXT}
TREE = {
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {
                "n": INTEGER,
                "more": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            },
            "required": ["n"],
        }
    }
}


def words(name: str, right: list[str], wrong: list[str], held: frozenset[str]) -> Keyword:
    """Make the case of a format of texts."""
    return Keyword("format", {"type": "string", "format": name}, right, wrong, held)


KEYWORDS = [
    Keyword("type", INTEGER, [3, -4], ["x", True, None, [], {}]),
    Keyword("type", {"type": ["number", "null"]}, [1.5, None, 2], ["x", True]),
    Keyword("type", {"type": "boolean"}, [True, False], [1, "no"]),
    Keyword("enum", {"enum": ["one", "two"]}, ["one"], ["three", "", "on"]),
    Keyword("enum", {"enum": [1, True, None]}, [1, True, None], [2, False]),
    Keyword("const", {"const": "one"}, ["one"], ["two", "on"]),
    Keyword("const", {"const": {"a": 1, "b": ["x"]}}, [{"a": 1, "b": ["x"]}], [{"a": 1}, {}]),
    Keyword(
        "properties",
        {"type": "object", "properties": PAIR},
        [{"a": 1, "b": "x"}, {"b": "x"}, {}],
        [{"a": "x"}, {"a": 1, "c": 2}],
    ),
    Keyword(
        "required",
        {"type": "object", "properties": PAIR, "required": ["b"]},
        [{"b": "x"}, {"a": 1, "b": "x"}],
        [{"a": 1}, {}],
    ),
    Keyword("items", {"type": "array", "items": INTEGER}, [[], [1, 2]], [["x"], [1, "x"]]),
    Keyword(
        "prefixItems",
        {"type": "array", "prefixItems": [INTEGER, TEXT], "items": False, "minItems": 2},
        [[1, "x"]],
        [["x", 1], [1], [1, "x", 2]],
    ),
    Keyword(
        "minItems", {"type": "array", "items": INTEGER, "minItems": 2}, [[1, 2], [1] * 4], [[], [1]]
    ),
    Keyword(
        "maxItems", {"type": "array", "items": INTEGER, "maxItems": 2}, [[], [1, 2]], [[1, 2, 3]]
    ),
    Keyword("anyOf", {"anyOf": [INTEGER, {"enum": ["all"]}]}, [1, "all"], ["x", 1.5, None]),
    Keyword(
        "$ref",
        {"$ref": "#/$defs/tree"},
        [{"n": 1}, {"n": 1, "more": [{"n": 2, "more": []}]}],
        [{}, {"n": 1, "more": [{}]}],
        definitions=TREE,
    ),
    Keyword(
        "additionalProperties",
        {"type": "object", "properties": PAIR, "additionalProperties": INTEGER},
        [{"a": 1}, {"a": 1, "c": 3}],
        [{"a": 1, "c": "x"}],
    ),
    Keyword(
        "additionalProperties",
        {"type": "object", "properties": PAIR, "additionalProperties": False},
        [{"a": 1}],
        [{"a": 1, "c": 1}],
    ),
    Keyword(
        "allOf",
        {"allOf": [{"type": "object", "properties": PAIR}, {"required": ["a"]}]},
        [{"a": 1}, {"a": 1, "b": "x"}],
        [{"b": "x"}, {}],
    ),
    Keyword("minLength", {"type": "string", "minLength": 2}, ["ab", "é漢", "abc"], ["", "a"]),
    Keyword("minLength", {"type": "string", "minLength": 1001}, ["a" * 1001], ["a"], BOTH),
    Keyword("maxLength", {"type": "string", "maxLength": 2}, ["", "ab", "é漢"], ["abc"]),
    Keyword("maxLength", {"type": "string", "maxLength": 1000}, ["a" * 1000], ["a" * 1001]),
    Keyword("maxLength", {"type": "string", "maxLength": 1001}, ["a" * 9], ["a" * 1002], BOTH),
    Keyword(
        "maxLength",
        {"type": "string", "pattern": "^a*$", "maxLength": 3},
        ["a"],
        ["aaaa"],
        frozenset({LLGUIDANCE, OWN}),
    ),
    Keyword(
        "minLength",
        {"type": "string", "format": "ipv4", "minLength": 9},
        ["127.0.0.1"],
        ["1.1.1.1"],
        frozenset({LLGUIDANCE, OWN}),
    ),
    Keyword("minimum", {"type": "integer", "minimum": 0}, [0, 7, 1234], [-1]),
    Keyword("minimum", {"type": "integer", "minimum": 1}, [1, 7, 1234], [0, -1]),
    Keyword("minimum", {"type": "integer", "minimum": 5}, [5, 70], [4, 0, -6], BOTH),
    Keyword("minimum", {"type": "number", "minimum": 0.5}, [0.5, 3], [0.4, -1], BOTH),
    Keyword("maximum", {"type": "integer", "maximum": 5}, [5, -70], [6, 70], BOTH),
    Keyword("maximum", {"type": "integer", "minimum": -3, "maximum": 252}, [-3, 0, 252], [-4, 253]),
    Keyword(
        "maximum",
        {"type": "integer", "minimum": -3, "maximum": 253},
        [-3, 0, 253],
        [-4, 254],
        BOTH,
    ),
    Keyword("exclusiveMinimum", {"type": "integer", "exclusiveMinimum": 0}, [1, 50], [0, -1]),
    Keyword("exclusiveMinimum", {"type": "number", "exclusiveMinimum": 0}, [0.5], [0, -1], BOTH),
    Keyword(
        "exclusiveMaximum",
        {"type": "integer", "minimum": 0, "exclusiveMaximum": 3},
        [0, 2],
        [3, 4, -1],
    ),
    Keyword("exclusiveMaximum", {"type": "number", "exclusiveMaximum": 3}, [2.5], [3, 4], BOTH),
    Keyword("pattern", {"type": "string", "pattern": "^[a-c]+$"}, ["abc"], ["abd", ""], BOTH),
    Keyword("multipleOf", {"type": "integer", "multipleOf": 5}, [0, 25], [3, 26], BOTH),
    words("date", ["2026-11-29"], ["2026-13-29", "x"], BOTH),
    words("time", ["10:20:30Z"], ["10h", ""], BOTH),
    words("date-time", ["2026-11-29T10:20:30Z"], ["2026-11-29", "x"], BOTH),
    words("duration", ["P3D"], ["3 days"], BOTH),
    words("email", ["a@example.org"], ["a"], BOTH),
    words("hostname", ["example.org"], ["-", "a b"], BOTH),
    words("ipv4", ["127.0.0.1"], ["127.0.0", "1.2.3.400"], BOTH),
    words("ipv6", ["::1"], ["127.0.0.1", "x"], BOTH),
    words("uri", ["https://example.org/a"], ["a b"], BOTH),
    words("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"], BOTH),
    words("regex", ["a+"], ["(", "["], NONE),
    words("iri", ["https://example.org/é"], ["a b"], NONE),
    Keyword(
        "patternProperties",
        {"type": "object", "patternProperties": {"^n": INTEGER}},
        [{}, {"n1": 3}],
        [{"n1": "x"}],
        frozenset({LLGUIDANCE}),
    ),
    Keyword(
        "patternProperties",
        {"type": "object", "patternProperties": {"^n": INTEGER}, "additionalProperties": False},
        [{}, {"n1": 3}],
        [{"n1": "x"}],
        frozenset({LLGUIDANCE}),
    ),
    # The alternatives are those of `anyOf`: only that no two may fit is not held.
    Keyword("oneOf", {"oneOf": [INTEGER, {"type": "number"}]}, [1.5], [3], NONE),
    Keyword("not", {"type": "integer", "not": {"const": 3}}, [4], [3], NONE),
    Keyword(
        "if",
        {
            "type": "object",
            "properties": PAIR,
            "if": {"required": ["a"]},
            "then": {"required": ["b"]},
        },
        [{"a": 1, "b": "x"}, {}],
        [{"a": 1}],
        NONE,
    ),
    Keyword(
        "dependentRequired",
        {"type": "object", "properties": PAIR, "dependentRequired": {"a": ["b"]}},
        [{"a": 1, "b": "x"}, {}],
        [{"a": 1}],
        NONE,
    ),
    Keyword(
        "uniqueItems",
        {"type": "array", "items": INTEGER, "uniqueItems": True},
        [[1, 2]],
        [[1, 1]],
        NONE,
    ),
    Keyword(
        "contains",
        {"type": "array", "items": INTEGER, "contains": {"const": 3}},
        [[3], [1, 3]],
        [[1], []],
        NONE,
    ),
    Keyword(
        "propertyNames",
        {"type": "object", "additionalProperties": True, "propertyNames": {"maxLength": 2}},
        [{"ab": 1}],
        [{"abc": 1}],
        NONE,
    ),
    Keyword(
        "minProperties",
        {"type": "object", "properties": PAIR, "minProperties": 1},
        [{"a": 1}],
        [{}],
        NONE,
    ),
    Keyword(
        "maxProperties",
        {"type": "object", "properties": PAIR, "maxProperties": 1},
        [{"a": 1}],
        [{"a": 1, "b": "x"}],
        NONE,
    ),
]

#: The words of the docs for the formats of texts that are held.
FORMATS = {
    "date": ("date", "date-time"),
    "time": ("time", "duration"),
    "email": ("email",),
    "host": ("hostname",),
    "address": ("ipv4", "ipv6"),
    "uri": ("uri",),
    "uuid": ("uuid",),
}
