"""Runs the short agents in each language against a model server that is as strict as a provider.

Their processes share a file: one waits, the console approves, another one answers, which may be one
of another language; and one is killed while it asks the model.
"""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_programs_case import (
    LANGUAGES,
    ModelServer,
    approve,
    begun,
    console,
    failed,
    program,
    said,
    serving,
)

WAITS = "I wipe it. \nwipe waiting: "


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(ModelServer()) as made:
        yield made


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    program(request.param)
    return str(request.param)


def test_one_process_waits_and_another_one_answers(
    language: str, server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "chat.db"
    waits = said(language, server, file, "Wipe disk 7.")
    assert waits.startswith(WAITS)
    request = waits.split()[-1]
    assert said(language, server, file) == waits
    assert len(server.asked) == 1
    assert "have no result yet" in failed(language, server, file, "And now?")
    assert request in console("approvals", "list", str(file))
    approve(file, request)
    assert said(language, server, file) == "wiping 7\nDisk 7 is wiped.\n"
    assert said(language, server, file) == "Disk 7 is wiped.\n"
    assert len(server.asked) == 2
    sent = server.asked[1]["messages"]
    assert [one["role"] for one in sent] == ["user", "assistant", "tool"]
    assert sent[1]["content"] == "I wipe it. "


def test_a_process_that_is_killed_while_it_asks_loses_nothing(
    language: str, server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "chat.db"
    server.killed = begun(language, server, file, "Wipe disk 7.")
    server.killed.communicate(timeout=60)
    request = said(language, server, file).split()[-1]
    approve(file, request)
    first = begun(language, server, file)
    server.killed = first
    out, _ = first.communicate(timeout=60)
    assert (out, first.returncode) == ("wiping 7\n", -signal.SIGKILL)
    assert said(language, server, file) == "Disk 7 is wiped.\n"


def test_what_passes_is_asked_again_and_what_is_refused_is_told(
    language: str, server: ModelServer, tmp_path: Path
) -> None:
    file = tmp_path / "chat.db"
    server.statuses = [503, 503]
    assert "wipe waiting: " in said(language, server, file, "Wipe disk 7.")
    assert len(server.asked) == 3
    server.statuses = [401]
    refused = failed(language, server, tmp_path / "other.db", "Wipe disk 7.")
    assert "the model's server refused the request: " in refused
    assert "no such key" in refused
    assert "401" in refused
    assert len(server.asked) == 4
    assert "has no conversation" in failed(language, server, tmp_path / "none.db")


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(LANGUAGES, 2)])
def test_a_conversation_crosses_from_one_language_to_another(
    first: str, second: str, server: ModelServer, tmp_path: Path
) -> None:
    """A process of each language is killed while it asks; the other language goes on."""
    program(first), program(second)
    file = tmp_path / "chat.db"
    server.killed = begun(first, server, file, "Wipe disk 7.")
    server.killed.communicate(timeout=60)
    waits = said(second, server, file)
    assert waits.startswith(WAITS)
    assert said(first, server, file) == waits
    approve(file, waits.split()[-1])
    running = begun(second, server, file)
    server.killed = running
    out, _ = running.communicate(timeout=60)
    assert (out, running.returncode) == ("wiping 7\n", -signal.SIGKILL)
    assert said(first, server, file) == "Disk 7 is wiped.\n"
    assert said(second, server, file) == "Disk 7 is wiped.\n"
    interrupted, asked, sent, answered = server.asked
    assert interrupted["messages"] == asked["messages"]
    assert sent["messages"] == answered["messages"]
