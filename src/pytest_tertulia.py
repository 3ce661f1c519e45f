"""The pytest plugin of `tertulia.testing`: the fixture `chat_server` is a server of its own.

Every pytest run loads this wherever Tertulia is installed, so it imports nothing by itself.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tertulia.testing import ChatServer


@pytest.fixture
def chat_server() -> "Iterator[ChatServer]":
    """A real, empty Tertulia server for this test alone."""
    from tertulia.testing import started

    with started() as server:
        yield server
