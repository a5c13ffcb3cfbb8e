"""The arguments of a plain function: their schema, and their values out of a call.

>>> from datetime import date
>>> from toolwire.runs import ToolInput
>>> from toolwire.runs.arguments import Parameters
>>> def remind(day: date, context: ToolInput): ...
>>> schema, keywords = Parameters.of(remind, "remind").modelled()
>>> schema["properties"], schema["required"]
({'day': {'format': 'date', 'type': 'string'}}, ['day'])
>>> keywords(ToolInput("08b4", "remind", {"day": "2026-03-01"}))["day"]
datetime.date(2026, 3, 1)
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from toolwire._extra import MissingExtraError
from toolwire.runs.errors import ToolInputError
from toolwire.runs.input import HandlerInput

__all__ = ["Keywords", "Parameters"]

Keywords: TypeAlias = Callable[[Any], dict[str, Any]]
"""Gives a function's arguments, by name, for the input of a run."""

_OWN = ("toolwire.runs", "toolwire.tools")
"""The packages that make tools of functions."""

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function.

    ``inputs`` are the names of those that get the run's input: their hint is a class of inputs, or
    their name is ``context`` and they have no hint. ``arguments`` are all others, with their hints
    and defaults. ``takes_others`` says whether the function takes arguments of any name.
    """

    name: str
    inputs: tuple[str, ...]
    arguments: dict[str, tuple[Any, Any]]
    takes_others: bool

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, *, hinted: bool = True) -> Parameters:
        """Read the parameters of a function; if ``hinted``, their hints have to be readable.

        Raises :class:`TypeError` when arguments cannot be given by name, or a hint is unknown.
        """
        hints = _hints(function, name, hinted=hinted)
        inputs: list[str] = []
        arguments: dict[str, tuple[Any, Any]] = {}
        takes_others = False
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                takes_others = True
            elif parameter.kind not in _NAMED:
                bare = parameter.replace(annotation=inspect.Parameter.empty)
                raise TypeError(f"{name}() takes {bare} by position, but a call has names")
            else:
                hint = hints.get(parameter.name, Any)
                if _is_input(parameter.name, hint):
                    inputs.append(parameter.name)
                else:
                    arguments[parameter.name] = hint, parameter.default
        return cls(name, tuple(inputs), arguments, takes_others)

    def as_given(self, given: Any) -> dict[str, Any]:
        """Give the arguments as they are in the call, and the input where it is asked for."""
        return {**dict(given.arguments), **dict.fromkeys(self.inputs, given)}

    def modelled(self) -> tuple[dict[str, Any], Keywords]:
        """Give the schema of the arguments by their hints, and what makes values of these hints.

        Raises :class:`~toolwire.runs.MissingExtraError` without pydantic, and :class:`TypeError`
        for hints that have no JSON Schema.
        """
        try:
            import pydantic
        except ModuleNotFoundError:
            raise MissingExtraError("pydantic", "give input_schema=") from None
        try:
            model = self._model()
            schema = model.model_json_schema(schema_generator=_untitled())
        except pydantic.errors.PydanticUserError as error:
            raise TypeError(f"{self.name}() has no schema: {error.message}") from error
        schema.pop("title", None)
        fields = dict(zip(self.arguments, model.model_fields, strict=True))

        def keywords(given: Any) -> dict[str, Any]:
            try:
                read = model.model_validate(given.arguments)
            except pydantic.ValidationError as error:
                raise ToolInputError(self.name, _problems(error, given.arguments)) from error
            values = {name: getattr(read, field) for name, field in fields.items()}
            return {**values, **(read.model_extra or {}), **dict.fromkeys(self.inputs, given)}

        return schema, keywords

    def _model(self) -> Any:
        import pydantic

        # A field of the model may not have any name that a parameter may have, so the parameter's
        # name is the field's alias.
        fields: dict[str, Any] = {
            f"argument_{number}": (
                Annotated[hint, pydantic.Field(alias=name)],
                ... if default is inspect.Parameter.empty else default,
            )
            for number, (name, (hint, default)) in enumerate(self.arguments.items())
        }
        config = pydantic.ConfigDict(extra="allow" if self.takes_others else "forbid")
        return pydantic.create_model(self.name, __config__=config, **fields)


def _untitled() -> Any:
    """Give pydantic's writer of schemas, without a title for each name."""
    from pydantic.json_schema import GenerateJsonSchema

    members = {
        "field_title_should_be_set": lambda self, schema: False,
        # A default that JSON does not have is left out without a warning.
        "ignored_warning_kinds": {"skipped-choice", "non-serializable-default"},
    }
    return type("Untitled", (GenerateJsonSchema,), members)


def _is_input(name: str, hint: Any) -> bool:
    """Say whether a parameter gets the run's input."""
    kinds = (hint, *typing.get_args(hint))
    if any(isinstance(kind, type) and issubclass(kind, HandlerInput) for kind in kinds):
        return True
    return name == "context" and hint is Any


def _hints(function: Callable[..., Any], name: str, *, hinted: bool) -> dict[str, Any]:
    """Read the hints of a function's parameters."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:
        # The hint may be a text that names something local to the caller.
        try:
            return typing.get_type_hints(function, localns=_locals(), include_extras=True)
        except Exception as error:
            if hinted:
                message = f"a hint of {name}() is unknown: {error}; give input_schema="
                raise TypeError(message) from error
            return {
                name: HandlerInput if hint == "ToolInput" else object
                for name, hint in inspect.get_annotations(function).items()
            }


def _locals() -> dict[str, Any]:
    """Give the variables of the code that makes the tool."""
    frame: Any = sys._getframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OWN):
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)


def _problems(error: Any, payload: Any) -> list[dict[str, str]]:
    """Give what pydantic found, each with the JSON Pointer of the value."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [
        {
            "path": _pointer(one["loc"], payload, is_missing=one["type"] == "missing"),
            "message": one["msg"],
        }
        for one in found
    ]


def _pointer(places: Sequence[int | str], payload: Any, *, is_missing: bool) -> str:
    """Write a place in a payload as a JSON Pointer.

    pydantic also counts as places which member of a union it has tried; those are left out.
    """
    value, pointer = payload, ""
    for depth, place in enumerate(places):
        inside = _inside(value, place)
        if inside is None and not (is_missing and depth == len(places) - 1):
            continue
        pointer += "/" + str(place).replace("~", "~0").replace("/", "~1")
        value = None if inside is None else inside[0]
    return pointer


def _inside(value: Any, place: int | str) -> tuple[Any] | None:
    """Give what is at a place in a value, if there is such a place."""
    if isinstance(value, Mapping):
        return (value[place],) if place in value else None
    is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if is_list and isinstance(place, int) and 0 <= place < len(value):
        return (value[place],)
    return None
