"""Fixtures for the HTTP layer's own tests."""

import pytest
from tests.http.sample_api import Kitchen


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()
