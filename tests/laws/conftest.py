"""The server of the laws: one on which everything that can be allowed is allowed."""

from collections.abc import Callable

import pytest
from tests.support.people import Chat
from tests.support.server import Server


@pytest.fixture
def open_server(start_server: Callable[..., Server]) -> Server:
    """A server that lets channels be open to the whole internet."""
    server = start_server(web_public_streams_enabled=True)
    Chat.found(server)  # with one organization any host would reach it
    return server
