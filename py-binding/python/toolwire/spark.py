"""Detection in columns of Spark, by way of Arrow.

As a column, and in SQL, from Spark 4.1 on::

    import toolwire.spark
    found = frame.withColumn("found", toolwire.spark.detect("reply", fields=["calls"]))
    session.udf.register("detect_calls", toolwire.spark.udf(fields=["calls", "rejections"]))

As a table, from Spark 3.3 on, which costs less::

    found = toolwire.spark.detect_frame(frame, "reply", "found", fields=["calls"], drop=["reply"])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwire._extra import MissingExtraError
from toolwire.columns import DetectArray, DetectColumn, detected_type

__all__ = ["detect", "detect_frame", "udf"]


def _types() -> Any:
    """Import Spark's types."""
    try:
        from pyspark.sql import types
    except ImportError:
        raise MissingExtraError("pyspark") from None
    return types


def _spark_type(arrow: Any) -> Any:
    """Give Spark's type for one of a detection."""
    types = _types()
    if hasattr(arrow, "value_type"):
        return types.ArrayType(_spark_type(arrow.value_type))
    if hasattr(arrow, "fields"):
        fields = [types.StructField(field.name, _spark_type(field.type)) for field in arrow]
        return types.StructType(fields)
    known = {"int64": types.LongType, "binary": types.BinaryType}
    return known.get(str(arrow), types.StringType)()


def udf(*, fields: Iterable[str] | None = None, **options: Any) -> Any:
    """Make a function of a column of texts, for expressions and for ``udf.register``.

    The options are those of :class:`toolwire.Detector`.
    """
    types = _types()
    from pyspark.sql import functions

    function = DetectArray(fields=fields, **options)
    made = _spark_type(detected_type(function.fields))
    assert isinstance(made, types.StructType)

    # Spark looks for the types of parameters in the signature of a plain function.
    return functions.arrow_udf(lambda texts: function(texts), made)


def detect(column: Any, *, fields: Iterable[str] | None = None, **options: Any) -> Any:
    """Make the column with what is found in a column of texts."""
    return udf(fields=fields, **options)(column)


def detect_frame(
    frame: Any,
    column: str = "text",
    into: str = "detected",
    *,
    fields: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    **options: Any,
) -> Any:
    """Add a column with what is found in a column of texts, or of binary.

    See :class:`toolwire.columns.DetectColumn`.
    """
    types = _types()
    function = DetectColumn(column, into, fields=fields, drop=drop, **options)
    kept = [one for one in frame.schema.fields if one.name not in (*function.drop, into)]
    binary = column in frame.columns and isinstance(frame.schema[column].dataType, types.BinaryType)
    made = _spark_type(detected_type(function.fields, _binary() if binary else None))
    schema = types.StructType([*kept, types.StructField(into, made)])
    return frame.mapInArrow(lambda batches: map(function, batches), schema)


def _binary() -> Any:
    import pyarrow as pa

    return pa.binary()
