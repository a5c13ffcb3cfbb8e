"""Detection in data sets of Ray.

::

    import toolwire.ray
    found = toolwire.ray.detect(ray.data.read_parquet("replies"), "reply", fields=["calls"])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolwire.columns import DetectColumn

__all__ = ["detect"]


def detect(
    dataset: Any,
    column: str = "text",
    into: str = "detected",
    *,
    fields: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    **options: Any,
) -> Any:
    """Add a column with what is found in a column of texts.

    See :class:`toolwire.columns.DetectColumn`. It runs in tasks, which are tried again if a worker
    dies, and need no actor that waits for a core.
    """
    function = DetectColumn(column, into, fields=fields, drop=drop, **options)
    return dataset.map_batches(
        function, batch_format="pyarrow", batch_size=None, udf_modifying_row_count=False
    )
