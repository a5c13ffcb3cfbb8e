"""A file that a command writes: it has another name until it is whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from toolwire._extra import MissingExtraError
from toolwire.cli.terminal import FailedError

#: How the names of files of rows end.
FORMS = (".parquet", ".jsonl", ".csv")


def check_form(name: str) -> None:
    """Refuse a name of ``--out`` whose form is not known."""
    if not name.endswith(FORMS):
        raise FailedError(f"--out must end in {', '.join(FORMS)}")


def pyarrow() -> Any:
    """Import pyarrow and what it computes with."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        raise FailedError(str(MissingExtraError("pyarrow"))) from None
    return pyarrow


class PartFile:
    """A file that is written under another name, and gets its own when it is whole."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.part = f"{name}.part"
        self._close: Callable[[], None] | None = None

    def open_text(self) -> TextIO:
        """Open it for text; the lines end as they are written."""
        with self.writing():
            file = open(self.part, "w", encoding="utf-8", newline="")  # noqa: SIM115 - see finish
        self._close = file.close
        return file

    def open_parquet(self, schema: Any) -> Any:
        """Open it for tables of Parquet."""
        import pyarrow.parquet

        with self.writing():
            writer = pyarrow.parquet.ParquetWriter(self.part, schema, compression="zstd")
        self._close = writer.close
        return writer

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Make the failure to write a ``FailedError``."""
        try:
            yield
        except OSError as error:
            raise FailedError(f"cannot write {self.part}: {error.strerror or error}") from None

    def finish(self) -> None:
        """Close the file, if it was opened, and give it its name."""
        if self._close is not None:
            with self.writing():
                self._close()
                os.replace(self.part, self.name)

    def give_up(self) -> None:
        """Close the file, if it was opened, and remove it."""
        if self._close is not None:
            self._close()
            Path(self.part).unlink(missing_ok=True)
