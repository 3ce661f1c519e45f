"""The pytest plugin of `tertulia.testing`: a test that asks for `chat_server` gets its own.

Every run of pytest loads this, wherever Tertulia is installed: so it loads nothing by itself.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tertulia.testing import ChatServer


@pytest.fixture
def chat_server() -> "Iterator[ChatServer]":
    """A real Tertulia server, empty, for this test alone."""
    with import_module("tertulia.testing").started() as server:
        yield server
