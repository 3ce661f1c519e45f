"""The addresses to which a browser may return after the consent page of an agent."""

import pytest

from tertulia.domain.people.agents import Client


@pytest.mark.parametrize(
    "uri, is_registered",
    [
        ("http://127.0.0.1:9999/back", True),
        ("http://127.0.0.1:1/back", True),
        ("http://127.0.0.1:9999/elsewhere", False),
        ("http://127.0.0.1.evil.example/back", False),
        ("https://[::1", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_a_client_returns_only_to_an_address_that_it_registered(uri, is_registered):
    client = Client("a", "Agent", ["http://127.0.0.1:9999/back"], 0.0)

    assert client.redirects_to(uri) == is_registered
