"""Fixtures of imports and exports."""

import pytest
from tests.support.import_target import ImportTarget


@pytest.fixture
def target(databases, kind):
    made = ImportTarget(databases, kind)
    yield made
    if made.server is not None:
        made.server.stop()
