from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, final

from toolwire._stubs.words import _Provider

Part: TypeAlias = Literal["calls", "text", "reasoning", "rejections"]
_Exchanged: TypeAlias = Literal["calls", "results", "rejections", "items"]

def json_members(piece: bytes, path: list[str], first: int) -> tuple[Column, Column, bytes]: ...

class ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

@final
class Column:
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

_Column: TypeAlias = ArrowArray | ArrowStream

def parse_batch(
    messages: _Column | Iterable[str | None],
    provider: _Provider | None = None,
    *,
    repair: Literal["off", "safe"] = "off",
    threads: int = 1,
    fields: Iterable[_Exchanged] | None = None,
) -> Column: ...
def normalize_batch(
    logs: _Column | Iterable[str | None],
    *,
    threads: int = 1,
    calls_only: bool = False,
    dialect: str = "auto",
    worktree: str | PathLike[str] | None = None,
    faithful: bool = False,
) -> Column: ...
def results_summary_batch(
    results: _Column, *, max_tokens: int | None = None, threads: int = 1
) -> Column: ...
