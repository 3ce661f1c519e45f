"""Agents: programs that act for a user within a grant.

A grant names channels, whether the agent may write in each, and an end. An agent is its user with a
grant (`Agent`), so every rule that takes a user applies to it, and the rules of access also ask the
grant. What the grant does not name does not exist for the agent.
"""

import base64
import hmac
import secrets
from collections.abc import Mapping
from typing import Literal, overload
from urllib.parse import SplitResult, unquote, urlsplit

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
MAX_UNUSED_CLIENTS_PER_NETWORK = 50  # registered without a grant
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


def successor(kind: TokenKind, replaced: str, salt: bytes) -> str:
    """The token that replaces a refresh token. Only both together give it."""
    digest = hmac.digest(salt, f"{kind} {replaced}".encode(), "sha256")
    return ACCESS_MARK + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def shown_name(given: str) -> str:
    """The name that a program gave itself, as it is shown."""
    name = "".join(filter(str.isprintable, given)).strip()[:MAX_NAME_LENGTH]
    return name or "Agent"


def is_document_url(client_id: str) -> bool:
    """Whether an id of a program is the URL of a client ID metadata document."""
    parts = _plain_parts(client_id)
    if parts is None or parts.scheme != "https" or not parts.hostname:
        return False
    segments = unquote(parts.path).split("/")
    return parts.path not in ("", "/") and not {".", ".."} & set(segments)


def is_allowed_redirect(uri: str) -> bool:
    """Whether a client may register this address: HTTPS, a loopback address, or an app's scheme."""
    parts = _plain_parts(uri)
    if parts is None:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return is_loopback(uri)
    # The scheme of an app has a dot (RFC 8252), which `javascript:` and `data:` have not.
    return "." in parts.scheme


def _plain_parts(uri: str) -> SplitResult | None:
    """The parts of a URI in ASCII, without a fragment and a user."""
    if len(uri) > MAX_URI_LENGTH or not (uri.isascii() and uri.isprintable()) or " " in uri:
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.hostname, parts.port
    except ValueError:
        return None
    return None if "#" in uri or "@" in parts.netloc else parts


def matches_redirect(registered: str, given: str) -> bool:
    """Exactly the registered address; on a loopback address the port may differ (RFC 8252)."""
    if registered == given:
        return True
    if not (is_loopback(registered) and is_loopback(given)):
        return False
    return _without_port(registered) == _without_port(given)


def is_loopback(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
    except ValueError:  # `https://[::1`
        return False
    return parts.scheme == "http" and _host(parts.netloc) in _LOOPBACK


def _without_port(uri: str) -> tuple[str, str, str]:
    parts = urlsplit(uri)
    return _host(parts.netloc), parts.path, parts.query


def _host(netloc: str) -> str:
    name, colon, port = netloc.rpartition(":")
    return name if colon and port.isdecimal() else netloc


class Client(msgspec.Struct, frozen=True):
    """A program that asks users for grants: it registered itself, or a document describes it."""

    id: str
    name: str
    redirect_uris: list[str]
    created_at: float

    @property
    def document_host(self) -> str | None:
        """The server of the document that describes it."""
        return urlsplit(self.id).hostname if is_document_url(self.id) else None

    def redirects_to(self, uri: str) -> bool:
        return any(matches_redirect(each, uri) for each in self.redirect_uris)


class GrantRequest(msgspec.Struct, frozen=True):
    """What a user allows on the consent page."""

    channels: Mapping[int, bool]
    direct_messages: bool
    presence: bool
    expires_at: float | None
