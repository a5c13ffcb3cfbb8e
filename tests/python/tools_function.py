"""A tool that is a function, and how the tests run one."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Annotated, Any

from peers import action
from pydantic import BaseModel, Field
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, tool


class Unit(Enum):
    CELSIUS = "C"
    FAHRENHEIT = "F"


class Place(BaseModel):
    city: str
    country: str = "NO"


@tool
def weather(place: Place, unit: Unit = Unit.CELSIUS, days: Annotated[int, Field(ge=1)] = 1) -> Any:
    """Tells the weather.

    It is never sure.
    """
    return {"in": place.city, "unit": unit.name, "days": days, "type": type(place).__name__}


def run(made: Any, payload: Any = None, ctx: Any = None, **options: Any) -> Any:
    executor = AdvancedToolExecutor(**options)
    executor.register(made)
    definition = made if isinstance(made, ToolDefinition) else executor.get_tool(made.__name__)
    assert definition is not None
    asked = action(definition.action_type, {} if payload is None else payload)
    return asyncio.run(executor.execute(asked, ctx))
