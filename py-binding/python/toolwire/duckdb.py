"""Detection in SQL of DuckDB.

::

    import duckdb
    import toolwire.duckdb
    connection = duckdb.connect()
    toolwire.duckdb.register(connection, fields=["calls"])
    connection.sql("SELECT detect_calls(reply).calls FROM 'replies.parquet'")
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwire.columns import DetectArray, detected_type

__all__ = ["register"]


def _sql_type(arrow: Any) -> str:
    """Give DuckDB's type for one of a detection."""
    if hasattr(arrow, "value_type"):
        return f"{_sql_type(arrow.value_type)}[]"
    if hasattr(arrow, "fields"):
        fields = ", ".join(f'"{field.name}" {_sql_type(field.type)}' for field in arrow)
        return f"STRUCT({fields})"
    return "BIGINT" if str(arrow) == "int64" else "VARCHAR"


def register(
    connection: Any,
    name: str = "detect_calls",
    *,
    fields: Iterable[str] | None = None,
    **options: Any,
) -> None:
    """Add a function of a VARCHAR to a connection, which gives what is found in it.

    The options are those of :class:`toolwire.Detector`.
    """
    function = DetectArray(fields=fields, **options)
    made = _sql_type(detected_type(function.fields))
    connection.create_function(
        name,
        # DuckDB counts the parameters of a plain function.
        lambda texts: function(texts),
        ["VARCHAR"],
        made,
        type="arrow",
        null_handling="special",
    )
