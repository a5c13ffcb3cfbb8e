"""Detection in expressions of Daft.

::

    import daft
    import toolwire.daft
    found = frame.with_column("found", toolwire.daft.detect(daft.col("reply"), fields=["calls"]))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwire._extra import MissingExtraError
from toolwire.columns import DetectArray, detected_type

__all__ = ["detect"]


def detect(expression: Any, *, fields: Iterable[str] | None = None, **options: Any) -> Any:
    """Make the expression with what is found in one of texts.

    The options are those of :class:`toolwire.Detector`.
    """
    try:
        import daft
    except ImportError:
        raise MissingExtraError("daft") from None
    function = DetectArray(fields=fields, **options)
    # Daft's text is the large string of Arrow; what it makes of a detection is its own to choose.
    made = daft.DataType.from_arrow_type(detected_type(function.fields))

    def detect_calls(texts: daft.Series) -> daft.Series:
        return daft.Series.from_arrow(function(texts.to_arrow()))

    return daft.func.batch(return_dtype=made)(detect_calls)(expression)
