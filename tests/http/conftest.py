"""Fixtures for the HTTP layer's own tests."""

import pytest
from tests.http.sample_api import SampleApi


@pytest.fixture
def kitchen() -> SampleApi:
    return SampleApi()
