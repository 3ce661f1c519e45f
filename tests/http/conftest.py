"""Fixtures for the HTTP layer's own tests."""

import pytest
from tests.http.sample_api import SampleApi


@pytest.fixture
def sample_api() -> SampleApi:
    return SampleApi()
