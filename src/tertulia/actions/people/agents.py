"""Agents: registering a program, granting access to it, exchanging codes and tokens, revoking.

A code or a refresh token that is used twice may have been stolen, so its grant is revoked. A
refresh whose answer was lost may be repeated for a minute. It gets the same tokens, so that a thief
and the program hold the same refresh token, and the later of them is found out at its next use.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping

import msgspec

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.actions.groups import permissions
from tertulia.actions.organization import audit
from tertulia.actions.people import agent_revocation
from tertulia.database.tx import Tx
from tertulia.domain.organization.audit import Act
from tertulia.domain.people.agents import (
    ACCESS_TOKEN_SECONDS,
    CODE_SECONDS,
    MAX_CLIENTS,
    MAX_GRANTS_PER_USER,
    MAX_UNUSED_CLIENTS_PER_NETWORK,
    REFRESH_TOKEN_SECONDS,
    REPEATED_REFRESH_SECONDS,
    UNUSED_CLIENT_SECONDS,
    Client,
    GrantRequest,
)
from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import GrantEnded, GrantNotFound
from tertulia.storage.people.agents import StoredCode


class AgentTokens(msgspec.Struct, frozen=True):
    """A new pair of tokens; only their hashes are stored."""

    access: str
    refresh: str
    expires_in: int


def fingerprint(token: str) -> bytes:
    """The hash under which a token is stored. It has 256 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).digest()


# --- programs ---


def register(tx: Tx, name: str, redirect_uris: list[str], network: str) -> Client:
    """Register a program. Anyone may, so programs that no user has allowed anything make room: the
    oldest of the same network, or of the network with the most."""
    clients = storage.people.agents
    clients.delete_unused_clients(tx, tx.now - UNUSED_CLIENT_SECONDS)
    unused = clients.count_unused_clients(tx)
    if unused.get(network, 0) >= MAX_UNUSED_CLIENTS_PER_NETWORK:
        clients.delete_oldest_unused_client(tx, network)
    elif clients.count_clients(tx) >= MAX_CLIENTS:
        if not unused:
            raise BadRequest("Too many programs are registered.")
        clients.delete_oldest_unused_client(tx, max(unused, key=unused.__getitem__))
    client = Client(secrets.token_urlsafe(16), name, redirect_uris, tx.now)
    clients.insert_client(tx, client, network)
    return client


# --- grants ---


def allow(
    tx: Tx,
    user: User,
    client: Client,
    grant_request: GrantRequest,
    redirect_uri: str,
    challenge: str,
) -> str:
    """Grant access. Returns the code that the program exchanges for tokens."""
    user = permissions.current_rights(tx, user)
    for channel_id in grant_request.channels:
        lookups.readable_by(tx, user, channel_id)
    if len(storage.people.agents.grants(tx, tx.now, user.id)) >= MAX_GRANTS_PER_USER:
        raise BadRequest(
            "Too many agents act for you. End one of them first.", problem="too-many-agents"
        )
    for ended in storage.people.agents.ended_grants(tx):
        storage.people.agents.delete_grant(tx, ended)
    grant = Grant(
        id=0,
        user_id=user.id,
        agent=client.name,
        channels=grant_request.channels,
        direct_messages=grant_request.direct_messages,
        presence=grant_request.presence,
        created_at=tx.now,
        expires_at=grant_request.expires_at,
    )
    grant_id = storage.people.agents.insert_grant(tx, client.id, grant)
    code = secrets.token_urlsafe(32)
    storage.people.agents.insert_code(
        tx,
        StoredCode(
            fingerprint(code), grant_id, redirect_uri, challenge, tx.now + CODE_SECONDS, None
        ),
    )
    return code


def revoke(tx: Tx, user: User, grant_id: int) -> None:
    """End a grant of the user, or any grant if the user is an owner."""
    user = permissions.current_rights(tx, user)
    grant = storage.people.agents.find_grant(tx, grant_id)
    if grant is None or (grant.user_id != user.id and not user.is_owner):
        raise GrantNotFound()
    agent_revocation.end(tx, grant)


def check(tx: Tx, grant: Grant | None) -> None:
    """Raise if the organization allows no agents any more, or the grant was revoked or has ended.
    A bot has no grant. Runs in the transaction of each write and after each read."""
    if not storage.organization.realms.current(tx).setting("enable_agent_access"):
        raise GrantEnded()
    if grant is None:
        return
    found = storage.people.agents.find_grant(tx, grant.id)
    if found is None or found.has_ended(tx.now):
        raise GrantEnded()


# --- tokens ---


def redeem(
    tx: Tx, client_id: str, code: str, redirect_uri: str | None, verifier: str, address: str
) -> AgentTokens | None:
    """Exchange a code for tokens; None if it is not valid. `address` is the program's.

    Programs of OAuth 2.1 do not repeat the redirect URI, because PKCE protects the code.
    """
    found = storage.people.agents.find_code(tx, fingerprint(code))
    if found is None or storage.people.agents.client_of(tx, found.grant_id) != client_id:
        return None
    if found.used_at is not None:
        _end_stolen(tx, found.grant_id, address)
        return None
    is_good = (
        found.expires_at > tx.now
        and redirect_uri in (None, found.redirect_uri)
        and hmac.compare_digest(found.challenge.encode(), challenge_of(verifier).encode())
    )
    if not is_good:
        return None
    storage.people.agents.use_code(tx, found.fingerprint)
    access, refresh = (domain.people.agents.new_token() for _ in range(2))
    return _issue(tx, found.grant_id, AgentTokens(access, refresh, ACCESS_TOKEN_SECONDS))


def refresh(tx: Tx, client_id: str, token: str, address: str) -> AgentTokens | None:
    """Exchange a refresh token for new tokens; None if it is not valid."""
    found = storage.people.agents.find_token(tx, fingerprint(token))
    if (
        found is None
        or found.kind != "refresh"
        or storage.people.agents.client_of(tx, found.grant_id) != client_id
    ):
        return None
    if found.replaced_at is not None and tx.now - found.replaced_at > REPEATED_REFRESH_SECONDS:
        _end_stolen(tx, found.grant_id, address)
        return None
    grant = storage.people.agents.find_grant(tx, found.grant_id)
    if found.expires_at <= tx.now or grant is None or grant.has_ended(tx.now):
        return None
    if found.replaced_at is not None and found.successor_salt is not None:
        remaining = found.replaced_at + ACCESS_TOKEN_SECONDS - tx.now
        return _successors(token, found.successor_salt, int(remaining))
    salt = secrets.token_bytes(32)
    storage.people.agents.replace_token(tx, found.fingerprint, salt)
    return _issue(tx, found.grant_id, _successors(token, salt, ACCESS_TOKEN_SECONDS))


def revoke_token(tx: Tx, client_id: str, token: str, address: str) -> None:
    """End the grant of a token, at the request of the program."""
    found = storage.people.agents.find_token(tx, fingerprint(token))
    if found is not None and storage.people.agents.client_of(tx, found.grant_id) == client_id:
        _end_recorded(tx, found.grant_id, "agent revoke", address)


def _end_stolen(tx: Tx, grant_id: int, address: str) -> None:
    _end_recorded(tx, grant_id, "agent end", address, {"reason": "token used twice"})


def _end_recorded(
    tx: Tx, grant_id: int, act: str, address: str, details: Mapping[str, str] | None = None
) -> None:
    """End a grant and record that, in the name of its user."""
    grant = storage.people.agents.find_grant(tx, grant_id)
    if grant is not None:
        agent_revocation.end(tx, grant)
        about = {"agent_id": grant.id, **(details or {})}
        audit.record(tx, Act(act, grant.user_id, address, about))


def of_token(tx: Tx, token: str) -> Grant | None:
    """The grant of an access token that is valid."""
    found = storage.people.agents.find_token(tx, fingerprint(token))
    if found is None or found.kind != "access" or found.expires_at <= tx.now:
        return None
    grant = storage.people.agents.find_grant(tx, found.grant_id)
    return None if grant is None or grant.has_ended(tx.now) else grant


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a PKCE verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _successors(token: str, salt: bytes, expires_in: int) -> AgentTokens:
    """The tokens for which a refresh token is exchanged."""
    access = domain.people.agents.successor("access", token, salt)
    return AgentTokens(access, domain.people.agents.successor("refresh", token, salt), expires_in)


def _issue(tx: Tx, grant_id: int, tokens: AgentTokens) -> AgentTokens:
    storage.people.agents.delete_expired_tokens(tx, grant_id)
    until = tx.now + tokens.expires_in
    storage.people.agents.insert_token(tx, fingerprint(tokens.access), grant_id, "access", until)
    later = tx.now + REFRESH_TOKEN_SECONDS
    storage.people.agents.insert_token(tx, fingerprint(tokens.refresh), grant_id, "refresh", later)
    return tokens
