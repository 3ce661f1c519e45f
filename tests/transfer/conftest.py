"""Fixtures of imports and exports."""

import pytest
from tests.support.import_target import House


@pytest.fixture
def house(databases, kind):
    made = House(databases, kind)
    yield made
    if made.server is not None:
        made.server.stop()
