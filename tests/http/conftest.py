"""Fixtures for the HTTP layer's own tests."""

import pytest
from tests.http.toy import Kitchen


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()
