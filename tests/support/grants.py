"""Grants to agents, made without the consent page."""

import base64
import hashlib
from collections.abc import Mapping

from tests.support.people import Person

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.agents import GrantRequest
from tertulia.domain.people.grant import Grant
from tertulia.domain.people.user import User

VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
)
BACK = "http://127.0.0.1/back"


def granted(
    person: Person,
    channels: Mapping[int, bool] | None = None,
    *,
    direct_messages: bool = False,
    presence: bool = False,
    expires_at: float | None = None,
) -> Grant:
    """A grant of a person, as the consent page makes it."""
    wish = GrantRequest(channels or {}, direct_messages, presence, expires_at)
    return person.chat.write(_allow, person.record, wish)[0]


def access_token(
    person: Person,
    channels: Mapping[int, bool] | None = None,
    *,
    direct_messages: bool = False,
    presence: bool = False,
    expires_at: float | None = None,
) -> str:
    """An access token of a new grant."""
    wish = GrantRequest(channels or {}, direct_messages, presence, expires_at)
    return person.chat.write(_allow, person.record, wish)[1]


def _allow(tx: Tx, user: User, wish: GrantRequest) -> tuple[Grant, str]:
    client = actions.people.agents.register(tx, "Helper", [BACK], "")
    code = actions.people.agents.allow(tx, user, client, wish, BACK, CHALLENGE)
    tokens = actions.people.agents.redeem(tx, client.id, code, BACK, VERIFIER, "")
    assert tokens is not None
    grant = actions.people.agents.of_token(tx, tokens.access)
    assert grant is not None
    assert storage.people.agents.client_of(tx, grant.id) == client.id
    return grant, tokens.access
