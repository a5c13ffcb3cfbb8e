"""Functions that engines run over columns: detection in a table, a dict of lists, or an array.

They are picklable, so that an engine can send them to its workers, and give the same on each try.

>>> from toolwire.columns import DetectColumn
>>> batch = {"text": ['<tool:echo>{"a": 1}</tool>', "no call"]}
>>> found = DetectColumn("text")(batch)  # doctest: +SKIP
>>> [len(row["calls"]) for row in found["detected"]]  # doctest: +SKIP
[1, 0]

They need pyarrow, which is imported when one is used. See ``docs/scale.md`` for the engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolwire import ERROR_KINDS, InvalidArgumentError, WrongTypeError
from toolwire._extra import MissingExtraError
from toolwire._native import Detector

__all__ = ["DetectArray", "DetectColumn", "detected_type"]


def _pyarrow() -> Any:
    """Import pyarrow; that takes half a second, so nothing imports it before it is needed."""
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow") from None
    return pyarrow


def _names(names: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _wrong(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(message, "invalid_option", ERROR_KINDS["invalid_option"][0])


def _again(kind: type[Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return kind(*arguments, **keywords)


class DetectArray:
    """A function of an array of texts, which gives an array of what was found in them.

    ``fields``, ``threads`` and the type of the result are those of
    :meth:`toolwire.Detector.detect_batch`; the options are those of :class:`toolwire.Detector`.
    An array of string views is taken as one of strings: a view that leaves the process would take
    its whole buffer with it.

    >>> from toolwire.columns import DetectArray
    >>> DetectArray(fields=["calls"], formats="auto")
    DetectArray(fields=('calls',), formats='auto')
    """

    def __init__(
        self, *, fields: Iterable[str] | None = None, threads: int = 1, **options: Any
    ) -> None:
        self.fields = _names(fields)
        self.threads = threads
        self.options = options
        self._detector = Detector(**options)
        # A wrong field or a Seen set is told here, and not by a worker.
        self._detector.detect_batch([], threads=threads, fields=self._fields())

    def _fields(self) -> Any:
        return self.fields

    def column(self, texts: Any) -> Any:
        """Find the calls in an array or a chunked array, and give a ``toolwire.Column``."""
        pa = _pyarrow()
        given = getattr(texts, "type", None)
        if given is not None and given in (pa.string_view(), pa.binary_view()):
            texts = texts.cast(pa.string() if given == pa.string_view() else pa.binary())
        return self._detector.detect_batch(texts, threads=self.threads, fields=self._fields())

    def __call__(self, texts: Any) -> Any:
        """Find the calls in an array, and give an array; a chunked one gives a chunked one."""
        pa = _pyarrow()
        column = self.column(texts)
        return pa.chunked_array(column) if isinstance(texts, pa.ChunkedArray) else pa.array(column)

    def _keywords(self) -> dict[str, Any]:
        given = {} if self.fields is None else {"fields": self.fields}
        return {**given, **({} if self.threads == 1 else {"threads": self.threads}), **self.options}

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), (), self._keywords())

    def __repr__(self) -> str:
        keywords = ", ".join(f"{name}={value!r}" for name, value in self._keywords().items())
        return f"{type(self).__name__}({keywords})"


class DetectColumn:
    """A function of a table that adds a column with what was found in another one.

    It takes a table or a record batch of pyarrow, and gives one; or a mapping of columns, as
    ``datasets`` and others use, and gives a dict, in which the new column is a list. ``column`` has
    the texts, ``into`` is the new column, which replaces one of its name, and the columns named by
    ``drop`` are left out. The rest is as in :class:`DetectArray`.

    >>> from toolwire.columns import DetectColumn
    >>> DetectColumn("reply", "found", drop=["reply"], model="Qwen/Qwen3-8B")
    DetectColumn('reply', 'found', drop=('reply',), model='Qwen/Qwen3-8B')
    """

    def __init__(
        self,
        column: str = "text",
        into: str = "detected",
        *,
        fields: Iterable[str] | None = None,
        threads: int = 1,
        drop: Iterable[str] = (),
        **options: Any,
    ) -> None:
        self.name = column
        self.into = into
        self.drop = _names(drop) or ()
        if into in self.drop:
            raise _wrong(f"drop names the new column {into!r}")
        self._detect = DetectArray(fields=fields, threads=threads, **options)
        self.fields = self._detect.fields

    def __call__(self, batch: Any) -> Any:
        """Find the calls in a batch, and give the batch with the new column."""
        if isinstance(batch, Mapping):
            return self._of_mapping(batch)
        if not hasattr(batch, "append_column"):
            message = f"batch must be a table or a mapping of columns, not {type(batch).__name__}"
            raise WrongTypeError(message, "wrong_type", ERROR_KINDS["wrong_type"][0])
        names = list(batch.schema.names)
        made = self._detect(self._texts(batch, names))
        for name in {*self.drop, self.into}.intersection(names):
            batch = batch.drop_columns([name])
        return batch.append_column(self.into, made)

    def _texts(self, batch: Any, names: list[str]) -> Any:
        if self.name not in names:
            known = ", ".join(map(repr, names)) or "none"
            raise _wrong(f"there is no column {self.name!r}; there are: {known}")
        return batch[self.name]

    def _of_mapping(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        pa = _pyarrow()
        texts = self._texts(batch, list(batch))
        found = pa.array(self._detect.column(texts)).to_pylist()
        kept = {name: batch[name] for name in batch if name not in self.drop}
        return {**kept, self.into: found}

    def __reduce__(self) -> tuple[Any, ...]:
        keywords = {**({"drop": self.drop} if self.drop else {}), **self._detect._keywords()}
        return _again, (type(self), (self.name, self.into), keywords)

    def __repr__(self) -> str:
        keywords = self.__reduce__()[1][2]
        given = [repr(self.name), repr(self.into)]
        given += [f"{name}={value!r}" for name, value in keywords.items()]
        return f"DetectColumn({', '.join(given)})"


def detected_type(fields: Iterable[str] | None = None, text: Any = None) -> Any:
    """Give the type of the column that is made, as a type of pyarrow.

    ``text`` is the type of the texts, ``pyarrow.string()`` by default.

    >>> from toolwire.columns import detected_type
    >>> detected_type(["reasoning"])  # doctest: +SKIP
    StructType(struct<reasoning: string>)
    """
    pa = _pyarrow()
    texts = pa.array([], pa.string() if text is None else text)
    return DetectArray(fields=fields)(texts).type
