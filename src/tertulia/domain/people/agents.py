"""Agents: programs that act for a user within a grant.

A grant names channels, whether the agent may write in each, and an end. An agent is its user with a
grant (`Agent`), so every rule that takes a user applies to it, and the rules of access also ask the
grant. What the grant does not name does not exist for the agent.
"""

import secrets
from collections.abc import Mapping
from typing import Literal, overload
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import asdict

from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import User

ACCESS_MARK = "tertulia_"  # tells an access token from an API key
ACCESS_TOKEN_SECONDS = 3600
REFRESH_TOKEN_SECONDS = 90 * 86_400  # since its last use
REPEATED_REFRESH_SECONDS = 60  # a lost answer may be asked for again this long
CODE_SECONDS = 300
MAX_REDIRECT_URIS = 10
MAX_URI_LENGTH = 2000
MAX_NAME_LENGTH = 60
MAX_CLIENTS = 1000  # registered in one organization
MAX_GRANTS_PER_USER = 50
UNUSED_CLIENT_SECONDS = 86_400

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})

TokenKind = Literal["access", "refresh"]


class Agent(User, frozen=True, kw_only=True):
    """A user as whom an agent acts."""

    held: Grant

    @property
    def grant(self) -> Grant | None:
        return self.held


@overload
def acting_for(user: User, grant: Grant) -> Agent: ...
@overload
def acting_for(user: User, grant: Grant | None) -> User: ...
def acting_for(user: User, grant: Grant | None) -> User:
    """The user with the grant; without one, the user."""
    if grant is None:
        return user
    own = {name: value for name, value in asdict(user).items() if name != "held"}
    return Agent(**own, held=grant)


def new_token() -> str:
    return ACCESS_MARK + secrets.token_urlsafe(32)


def is_allowed_redirect(uri: str) -> bool:
    """Whether a client may register this address: HTTPS, a loopback address, or an app's scheme."""
    if len(uri) > MAX_URI_LENGTH or not (uri.isascii() and uri.isprintable()) or " " in uri:
        return False
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return False
    if parts.fragment or "#" in uri or parts.username or parts.password:
        return False
    if parts.scheme == "https":
        return bool(host)
    if parts.scheme == "http":
        return is_loopback(uri)
    # The scheme of an app has a dot (RFC 8252), which `javascript:` and `data:` have not.
    return "." in parts.scheme


def matches_redirect(registered: str, given: str) -> bool:
    """Exactly the registered address; on a loopback address the port may differ (RFC 8252)."""
    if registered == given:
        return True
    if not (is_loopback(registered) and is_loopback(given)):
        return False
    return _without_port(registered) == _without_port(given)


def is_loopback(uri: str) -> bool:
    parts = urlsplit(uri)
    return parts.scheme == "http" and _host(parts.netloc) in _LOOPBACK


def _without_port(uri: str) -> tuple[str, str, str]:
    parts = urlsplit(uri)
    return _host(parts.netloc), parts.path, parts.query


def _host(netloc: str) -> str:
    name, colon, port = netloc.rpartition(":")
    return name if colon and port.isdecimal() else netloc


class Client(msgspec.Struct, frozen=True):
    """A program that registered itself to ask users for grants."""

    id: str
    name: str
    redirect_uris: list[str]
    created_at: float

    def redirects_to(self, uri: str) -> bool:
        return any(matches_redirect(each, uri) for each in self.redirect_uris)


class GrantRequest(msgspec.Struct, frozen=True):
    """What a user allows on the consent page."""

    channels: Mapping[int, bool]
    direct_messages: bool
    presence: bool
    expires_at: float | None
