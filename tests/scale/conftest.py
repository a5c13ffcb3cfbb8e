"""What the tests of engines share: texts in files, and what one process finds in them."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import toolwire

ROWS = int(os.environ.get("TOOLWIRE_ROWS", "200000"))
FILES = 4
CALLS = (
    '<tool:echo>{"a": 1}</tool>',
    '<tool_call>{"name": "search", "arguments": {"q": "größer"}}</tool_call>',
    '<tool_call>{"name": "add", "arguments": {}, "id": "c1"}</tool_call>',
    '<tool:echo>{"a": }</tool>',
    "<think>hm, größer?</think>",
    '{"name": "add", "arguments": {"a": 1}}',
)
WORDS = ("größere", "Hunde", "日本", "the", "quick", "brown", "fox", "over", "and", "then", "words")


def texts(count: int) -> list[str | None]:
    """Give texts of about 200 bytes: one in ten has a call, one in fifty is null."""
    chance = random.Random(38)
    made: list[str | None] = []
    for _ in range(count):
        kind = chance.random()
        if kind < 0.02:
            made.append(None)
            continue
        words = chance.choices(WORDS, k=chance.randint(0, 40))
        if kind < 0.12:
            words.insert(chance.randint(0, len(words)), chance.choice(CALLS))
        made.append(" ".join(words))
    return made


class Given:
    """Texts with their numbers, and what is found in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = pa.table({"n": pa.array(range(ROWS), pa.int64()), "text": texts(ROWS)})
        self.found: list[Any] = pa.array(
            toolwire.Detector().detect_batch(self.table["text"])
        ).to_pylist()
        size = -(-ROWS // FILES)
        for at in range(FILES):
            part = self.table.slice(at * size, size)
            pq.write_table(part, folder / f"{at}.parquet", row_group_size=size // 3 + 1)

    def check(self, rows: list[tuple[int, Any]]) -> None:
        """Check rows of number and detection, in any order."""
        assert sorted(n for n, _ in rows) == list(range(ROWS))
        for n, found in rows:
            assert found == self.found[n], self.table["text"][n]


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Give the texts, which are written once."""
    return Given(tmp_path_factory.mktemp("texts"))


class KilledOnce:
    """A function that kills its process in the second batch, once in all processes.

    Only one process can make the mark, so it is the same at each run.
    """

    def __init__(self, function: Any, mark: Path) -> None:
        self.function = function
        self.mark = str(mark)
        self.batches = 0

    def __call__(self, batch: Any) -> Any:
        """Run the function, or die."""
        self.batches += 1
        if self.batches == 2:
            try:
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), 9)
        return self.function(batch)
