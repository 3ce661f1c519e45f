"""The Authorization header: errors in their order."""

import base64

import pytest

from tertulia.errors import ClientError
from tertulia.http.authorization_header import Credentials, read_credentials

KEY = "aB3" + "x" * 29


def basic(text: str | bytes, scheme: str = "Basic") -> str:
    raw = text.encode() if isinstance(text, str) else text
    return f"{scheme} {base64.b64encode(raw).decode()}"


@pytest.mark.parametrize(
    "header",
    [
        basic(f"ana@example.com:{KEY}"),
        basic(f"ana@example.com:{KEY}", "bAsIc"),
        basic(f" ana@example.com : {KEY}\n"),
    ],
)
def test_a_valid_header_has_an_address_and_a_key(header):
    assert read_credentials(header) == Credentials("ana@example.com", KEY)


@pytest.mark.parametrize(
    "header, status, words",
    [
        (None, 401, "Not logged in: API authentication or user session required"),
        ("", 401, "Invalid authorization header for basic auth"),
        ("Basic", 401, "Invalid authorization header for basic auth"),
        ("Basic a b", 401, "Invalid authorization header for basic auth"),
        ("Basic ****", 401, "Invalid authorization header for basic auth"),
        ("Basic é", 401, "Invalid authorization header for basic auth"),
        (basic("no colon"), 401, "Invalid authorization header for basic auth"),
        (basic(b"\xff:" + KEY.encode()), 401, "Invalid authorization header for basic auth"),
        ("Bearer abc", 400, "This endpoint requires HTTP basic authentication."),
        ("Digest x", 400, "This endpoint requires HTTP basic authentication."),
        (basic("ana@example.com:short"), 401, "Malformed API key"),
        (basic(f"ana@example.com:{KEY}!"), 401, "Malformed API key"),
        (basic(f"ana@example.com:x:{KEY}"), 401, "Malformed API key"),
    ],
)
def test_an_invalid_header_is_refused(header, status, words):
    with pytest.raises(ClientError) as caught:
        read_credentials(header)

    assert (caught.value.status, caught.value.msg) == (status, words)
    assert ("WWW-Authenticate" in caught.value.reply_headers()) is (status == 401)
