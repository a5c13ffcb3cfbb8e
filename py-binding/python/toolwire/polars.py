"""Detection in expressions of Polars.

::

    import polars as pl
    import toolwire.polars
    calls = pl.col("reply").toolwire.detect(fields=["calls"]).struct.field("calls")
    frame.select(calls.list.len().sum())

The namespace ``toolwire`` of expressions is there once this module is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwire._extra import MissingExtraError
from toolwire._native import Detector

try:
    import polars as pl
except ImportError:
    raise MissingExtraError("polars") from None

__all__ = ["Expressions"]


class _Detect:
    """A function of a series."""

    def __init__(self, fields: Any, options: dict[str, Any]) -> None:
        self.fields = fields
        self.detector = Detector(**options)

    def __call__(self, texts: Any) -> Any:
        return pl.Series(texts.name, self.detector.detect_batch(texts, fields=self.fields))


@pl.api.register_expr_namespace("toolwire")
class Expressions:
    """What ``pl.col("text").toolwire`` offers."""

    def __init__(self, expression: Any) -> None:
        self._expression = expression

    def detect(self, *, fields: Iterable[str] | None = None, **options: Any) -> Any:
        """Find the calls in each text; it runs in the streaming engine too.

        The options are those of :class:`toolwire.Detector`.
        """
        function = _Detect(None if fields is None else list(fields), options)
        made = function(pl.Series("", [], dtype=pl.String)).dtype
        return self._expression.map_batches(function, return_dtype=made, is_elementwise=True)
