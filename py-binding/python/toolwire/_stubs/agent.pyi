from typing import Any, Literal, TypeAlias, final

from toolwire._stubs.detect import Detector

_Place: TypeAlias = tuple[int, int]
_Limits: TypeAlias = tuple[int, int, int | None, int, int, int]

@final
class AgentSettings:
    def __new__(
        cls,
        api: str,
        model: str,
        system: str,
        options: dict[str, Any],
        detector: Detector | None,
        limits: _Limits,
    ) -> AgentSettings: ...

@final
class AgentConversations:
    def __new__(cls, store: Any) -> AgentConversations: ...
    def find(self, id: str, settings: AgentSettings) -> AgentConversation | None: ...
    def begin(self, id: str, settings: AgentSettings) -> AgentConversation: ...
    def save(self, conversation: AgentConversation) -> None: ...
    def forget(self, id: str) -> bool: ...
    def list(self, limit: int, after: str | None = None) -> list[str]: ...

@final
class AgentConversation:
    def say(self, text: str) -> None: ...
    def next_step(
        self, settings: AgentSettings
    ) -> tuple[Literal["ask", "run", "end"], str | None, list[_Place]] | None: ...
    def request(
        self, settings: AgentSettings, tools: list[dict[str, Any]], ends_for: str | None = None
    ) -> dict[str, Any]: ...
    def answered(
        self, response: Any, settings: AgentSettings, took_ms: int, ends_for: str | None = None
    ) -> None: ...
    def open_call(self, place: _Place) -> tuple[str, Any] | None: ...
    def add_result(
        self,
        place: _Place,
        run: str | None,
        tool: str,
        state: str,
        data: Any,
        message: str | None,
        took_ms: int,
    ) -> None: ...
    def add_no_tool(self, place: _Place, tool: str, known: list[str]) -> None: ...
    def said(self) -> tuple[str, str, bool, int, int]: ...
