"""Streamed answers: a bot writes a message while people watch it grow.

Nothing of an answer is stored until it is finished; then it is an ordinary message. An
answer is known by a signed token that says all about it, so every server can serve every call.
"""

import base64
import binascii
import hmac
import secrets

import msgspec

from tertulia.domain.people.keys import Vault

MAX_OPEN_PER_PERSON = 5  # of all bots of one owner, on one server
MAX_MEMBERS = 50  # of a direct conversation
MAX_SECONDS = 600
SILENT_SECONDS = 60  # then clients show the answer as broken off
MIN_INTERVAL_SECONDS = 0.1  # between two updates of an answer
SUBSCRIBERS_PER_INTERVAL = 100  # in larger channels the interval is longer in proportion
MAX_UPDATE_LENGTH = 1000  # characters in one update, so that a notification of PostgreSQL holds it
STATUS_LENGTH = 100
MAX_TOKEN_LENGTH = 1000
_SIGNATURE_LENGTH = 32


class StreamedAnswer(msgspec.Struct, frozen=True, array_like=True):
    """Where an answer grows, whose it is, and who asked for it."""

    realm_id: int
    bot_id: int
    person: int  # the owner of the bot, with whom it counts
    asked_by: int | None
    channel_id: int | None
    topic: str
    member_ids: list[int]
    started_at: float
    nonce: str

    @property
    def is_direct(self) -> bool:
        return self.channel_id is None

    @property
    def send_key(self) -> str:
        """The idempotency key of the message that it becomes."""
        return f"answer:{self.nonce}"

    def is_expired(self, now: float) -> bool:
        return now > self.started_at + MAX_SECONDS

    def token(self, vault: Vault) -> str:
        text = base64.urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")
        return f"{text}.{_signature(vault, text)}"


def new_nonce() -> str:
    return secrets.token_urlsafe(6)


def from_token(vault: Vault, answer_token: str) -> StreamedAnswer | None:
    """The answer with this token; None if no server with this secret has made it."""
    text, _, signature = answer_token.partition(".")
    if len(answer_token) > MAX_TOKEN_LENGTH or not hmac.compare_digest(
        signature.encode(), _signature(vault, text).encode()
    ):
        return None
    try:
        decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.json.decode(decoded, type=StreamedAnswer)
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        return None


def interval_seconds(subscribers: int) -> float:
    """The shortest time between two updates for so many listeners."""
    return MIN_INTERVAL_SECONDS * max(1.0, subscribers / SUBSCRIBERS_PER_INTERVAL)


def _signature(vault: Vault, text: str) -> str:
    return vault.signature(f"answer {text}")[:_SIGNATURE_LENGTH]
