"""What a registry and an executor have in common: telling a model the tools, and adding a server's.

>>> from toolwire.runs import Executor, Tool
>>> executor = Executor()
>>> executor.register(Tool("mail", lambda given: "sent"))
>>> executor.to_provider("openai")[0]["function"]["name"]
'mail'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from toolwire._native import ToolTable

if TYPE_CHECKING:
    from toolwire.mcp.connection import McpConnection

__all__ = ["ToolOffer"]


class ToolOffer:
    """The tools of a table, told to a model, and joined by those of a server."""

    _table: ToolTable
    _watchers: tuple[Callable[[], None], ...] = ()

    def find(self, name: str) -> Any:
        """Give the tool of this action type, else the one of this name or alias; None without."""
        return self._table.get(name)

    def on_change(self, told: Callable[[], None]) -> None:
        """Call a function after each change of the tools, in the thread that makes the change."""
        self._watchers = (*self._watchers, told)

    def _tell_change(self) -> None:
        for told in self._watchers:
            told()

    def add_mcp(self, server: str | Sequence[str], **options: Any) -> McpConnection:
        """Add the tools of a server of the Model Context Protocol, and give the connection.

        ``server`` is an address (``https://tools.example.org/mcp``) or a command
        (``["npx", "-y", "some-server"]``), which is started with ``env`` and in ``cwd``. The call
        waits until the server has told its tools; each has a time-out of ``timeout_seconds`` (30).
        They change when the server's list changes.

        Options: ``name`` names the connection, which otherwise has the name of the program or the
        host with a part of a hash; two connections never have the same. ``token`` is sent as the
        bearer of each request. ``only`` names the tools to take.
        With ``prefix``, ``read`` becomes ``PREFIX_read``; without, a name that the program has
        already gets the server's name before it. ``requires_approval`` is a bool, or a function of
        the server's tool; unless it is given, a person approves each call of a tool that does not
        say that it only reads, which is the server's own word. ``inverses`` names what undoes a
        tool: ``{"create": "delete"}``, or an :class:`toolwire.mcp.Inverse`. With
        ``exact_results``, invisible characters in results are not marked. Any further option is a
        field of :class:`ToolDefinition`, such as ``rate_limit``, for each tool.

        Raises :class:`toolwire.mcp.McpServerError`, also from the tools, :class:`ValueError` when
        another connection has the name, and :class:`ImportError` without the package ``mcp``.
        """
        from toolwire.mcp.remote import add_tools

        return add_tools(cast("Any", self), server, **options)

    def to_provider(self, provider: str, *, strict: bool = False) -> list[dict[str, Any]]:
        """Give the tools as the provider's request has them, in the order of their registration.

        A name that the provider refuses is replaced by one that finds the tool too. ``strict``
        asks OpenAI to hold the model to the schemas.

        Raises :class:`toolwire.InvalidArgumentError` for an unknown provider, and for a schema that
        the provider refuses or that does not qualify as strict.
        """
        written: list[dict[str, Any]] = self._table.to_provider(provider, strict)
        return written

    def render_prompt(self, profile: Any = None, *, format: Any = None) -> str:
        """Write the text that tells a model without tool support its tools and how to call them.

        ``profile`` is a :class:`toolwire.Profile`, the name of a model or a definition; ``format``
        is a format's name or a definition. The text ends with an example that a detector reads.

        Raises :class:`toolwire.InvalidArgumentError` when such calls cannot be written.
        """
        return self._table.render_prompt(profile, format)
