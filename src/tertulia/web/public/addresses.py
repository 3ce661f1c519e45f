"""Addresses of public pages.

A channel is `7-name`; only the number counts, so that links survive a rename. A topic is encoded
with a dot for the percent sign, as in links to the chat, because proxies change encoded slashes.
"""

import re
from collections.abc import Mapping

from starlette.requests import Request

from tertulia import domain
from tertulia.http.parameter_rules import parse_id

ROOT = "/public/"
MESSAGES = f"{ROOT}message/"
EMPTY_TOPIC = ".empty"  # no encoded topic: "m" is no hexadecimal digit
PARAMETERS = ("page", "before", "as")  # that change a page
_CHANNEL = re.compile(r"([1-9][0-9]{0,17})(?:-.*)?")
_ESCAPED = re.compile(rb"\.([0-9A-Fa-f]{2})")


def channel_path(channel_id: int, name: str) -> str:
    return f"{ROOT}{domain.messages.links.slug(channel_id, name)}/"


def topic_path(channel_id: int, name: str, topic: str, page: int = 1) -> str:
    segment = domain.messages.links.encoded(topic) or EMPTY_TOPIC
    number = "" if page == 1 else f"?page={page}"
    return f"{channel_path(channel_id, name)}{segment}/{number}"


def message_path(message_id: int) -> str:
    """The permanent address of a message: it redirects to the page that has it."""
    return f"{MESSAGES}{message_id}"


def channel_id_of(segment: str) -> int | None:
    found = _CHANNEL.fullmatch(segment)
    return None if found is None else int(found[1])


def topic_of(segment: str) -> str | None:
    """The topic of a path segment; None if it is not an encoded topic."""
    if segment == EMPTY_TOPIC:
        return ""
    decoded = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), segment.encode())
    try:
        topic = decoded.decode()
    except UnicodeDecodeError:
        return None
    return topic if topic and "\0" not in topic else None


def parameters(request: Request) -> Mapping[str, str]:
    return request.query_params if request.scope["query_string"] else {}


def number(request: Request, name: str) -> int | None:
    """A positive number of the query; anything else counts as not given."""
    return parse_id(parameters(request).get(name, "")) or None


def cache_key(request: Request) -> tuple[str | None, ...]:
    """The address of a page without parameters that change nothing, as advertisers add them."""
    found = parameters(request)
    return request.scope["path"], *(found.get(name) for name in PARAMETERS)
