"""Compressed answers: for clients that accept them, where it saves something."""

import gzip
import json

import pytest
from tests.support.browser import Browser

from tertulia.http import compression
from tertulia.http.compression import MIN_BYTES


@pytest.mark.parametrize(
    "asked, is_accepted",
    [
        ("gzip", True),
        ("gzip, deflate, br", True),
        ("deflate, GZIP;q=0.5", True),
        ("br;q=1.0, *;q=0.1", True),
        ("gzip;q=0", False),
        ("gzip;q=0.000, br", False),
        ("deflate", False),
        ("x-gzip-not", False),
        ("identity", False),
        ("", False),
        (None, False),
    ],
)
def test_accept_encoding_is_parsed(asked, is_accepted):
    assert compression.is_accepted(asked, MIN_BYTES) is is_accepted
    assert compression.is_accepted(asked, MIN_BYTES - 1) is False


def test_a_large_answer_is_compressed_on_request(chat):
    ana = chat.person("ana")
    plain = ana.raw("GET", "/api/v1/openapi.json")

    packed = ana.raw("GET", "/api/v1/openapi.json", Accept_Encoding="gzip")

    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 5 < len(plain.body)


def test_answers_to_browsers_are_compressed_too(chat):
    chat.people(*(f"person{number}" for number in range(12)))
    browser = Browser.of(chat.person("ana"))
    plain = browser.calls("GET", "/users").succeeds()

    browser.headers["Accept-Encoding"] = "gzip"
    many, few = browser.calls("GET", "/users"), browser.calls("GET", "/users/me/sessions")

    assert json.loads(gzip.decompress(many.body)) == plain
    assert many.headers["Content-Length"] == str(len(many.body))
    assert "Content-Encoding" not in few.headers
