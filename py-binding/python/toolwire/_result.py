"""The result of running a tool."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


@dataclass
class ToolResult:
    """The result of running one tool.

    ``tool`` is a name, or an Enum whose value is the name.

    >>> ToolResult("search", True, {"hits": 2}, confidence=0.3)
    ToolResult(tool='search', success=True, data={'hits': 2}, error_message=None, confidence=0.3)
    """

    tool: str | Enum
    success: bool
    data: Any
    error_message: str | None = None
    confidence: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as a dict; an Enum as its value.

        >>> ToolResult("add", False, {}, error_message="offline").to_dict()
        {'tool': 'add', 'success': False, 'data': {}, 'confidence': 0.0, 'error_message': 'offline'}
        """
        return {
            "tool": self.tool.value if isinstance(self.tool, Enum) else self.tool,
            "success": self.success,
            "data": self.data,
            "confidence": self.confidence,
            "error_message": self.error_message,
        }


ToolResult.__module__ = "toolwire"
