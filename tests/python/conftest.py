"""Fixtures that several files of tests use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from issue_agent_server import Server, State, new_state
from peers import Sink
from toolwire import events


@pytest.fixture
def state() -> State:
    """Give a repository with an issue that nobody has answered."""
    return new_state()


@pytest.fixture
def server(state: State) -> Iterator[Server]:
    """Run a server on loopback that plays GitHub and the model with this state."""
    with Server(state) as server:
        yield server


@pytest.fixture
def sink() -> Iterator[Sink]:
    """Give a sink that receives every event of the program."""
    sink = Sink()
    events.set_event_sink(sink)
    yield sink
    events.clear_event_sink()
