"""Tools of a shop, for clients of MCP: `toolwire mcp serve shop:registry` in this folder."""

from __future__ import annotations

from toolwire.tools import ToolDefinition, ToolInput, ToolRegistry

prices = {"tea": 3, "cake": 5}


def price(given: ToolInput) -> dict[str, int]:
    """Look a price up."""
    name = given.payload["of"]
    return {name: prices[name]}


def set_price(given: ToolInput) -> dict[str, object]:
    """Change a price, and say what it was."""
    name = given.payload["of"]
    before, prices[name] = prices[name], given.payload["price"]
    return {"of": name, "price": before}


OF = {"type": "string", "enum": ["tea", "cake"]}

registry = ToolRegistry()
registry.register(
    ToolDefinition(
        "price",
        "PRICE",
        price,
        "Tells what something costs.",
        {"type": "object", "properties": {"of": OF}, "required": ["of"]},
        read_only=True,
    )
)
registry.register(
    ToolDefinition(
        "set_price",
        "SET_PRICE",
        set_price,
        "Changes what something costs.",
        {
            "type": "object",
            "properties": {"of": OF, "price": {"type": "integer", "minimum": 1}},
            "required": ["of", "price"],
        },
        requires_approval=True,
        approval_message="Change the price?",
        destructive=True,
    )
)
