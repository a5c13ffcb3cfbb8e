"""Telling a model which tools there are, from a registry or an executor.

>>> from toolwire.tools import ToolDefinition, ToolRegistry
>>> registry = ToolRegistry()
>>> registry.register(ToolDefinition("mail", "MAIL", lambda input: "sent"))
>>> registry.to_provider("openai")[0]["function"]["name"]
'mail'
"""

from __future__ import annotations

from typing import Any

from toolwire._native import ToolTable

__all__ = ["ToolOffer"]


class ToolOffer:
    """What tells a model the tools of a table."""

    _table: ToolTable

    def to_provider(self, provider: str, *, strict: bool = False) -> list[dict[str, Any]]:
        """Give the tools as the provider's request has them, in the order of their registration.

        A name that the provider refuses is replaced by one that finds the tool too. ``strict``
        asks OpenAI to hold the model to the schemas.

        Raises :class:`toolwire.InvalidArgumentError` for an unknown provider, and for a schema that
        the provider refuses or that does not qualify as strict.
        """
        written: list[dict[str, Any]] = self._table.to_provider(provider, strict)
        return written

    def render_prompt(self, *, profile: Any = None, format: Any = None) -> str:
        """Write the text that tells a model without tool support its tools and how to call them.

        ``profile`` is a :class:`toolwire.Profile`, the name of a model or a definition; ``format``
        is a format's name or a definition. The text ends with an example that a detector reads.

        Raises :class:`toolwire.InvalidArgumentError` when such calls cannot be written.
        """
        return self._table.render_prompt(profile, format)
