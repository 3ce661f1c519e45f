"""The server of the laws: every optional feature is on."""

from collections.abc import Callable

import pytest
from tests.support.people import Chat
from tests.support.server import Server


@pytest.fixture
def open_server(start_server: Callable[..., Server]) -> Server:
    """A server that allows web-public channels."""
    server = start_server(web_public_streams_enabled=True)
    Chat.found(server)  # with a single organization any host name would reach it
    return server
