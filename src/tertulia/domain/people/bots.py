"""Bots: their data beyond an account, and the parameters of a new one."""

import secrets

import msgspec
from msgspec import field

from tertulia.domain.people import user
from tertulia.domain.people.user import BotType
from tertulia.errors import BadRequest

# The format of an outgoing webhook: our own, or Slack's.
INTERFACES = (1, 2)
USUAL_INTERFACE = 1


class Service(msgspec.Struct, frozen=True):
    """The URL of an outgoing webhook, and the token that authenticates this server to it."""

    url: str
    interface: int
    token: str


class Bot(msgspec.Struct, frozen=True):
    """A bot's default channels and service."""

    user_id: int
    sending_channel_id: int | None = None
    listening_channel_id: int | None = None
    all_public_channels: bool = False
    service: Service | None = None
    config: dict[str, str] = field(default_factory=dict)


def bot_email(short_name: str, email_domain: str) -> str:
    email = f"{short_name.strip()}-bot@{email_domain}"
    if not short_name.strip() or not user.looks_like_email(email):
        raise BadRequest("Bad name or username", problem="bot-name-invalid")
    return email


def checked_bot_type(number: int) -> BotType:
    """The types that users can create. This server has no embedded bots."""
    if number == BotType.EMBEDDED:
        raise BadRequest("Invalid embedded bot name.")
    if number not in set(BotType):
        raise BadRequest("Invalid bot type")
    return BotType(number)


def checked_interface(number: int) -> int:
    if number not in INTERFACES:
        raise BadRequest("Invalid interface type")
    return number


def new_service(url: str, interface: int) -> Service:
    return Service(url, interface, secrets.token_hex(16))


class BotUse(msgspec.Struct, frozen=True):
    """When a bot was used last, and what became of the calls of its outgoing webhook."""

    user_id: int
    service_url: str | None
    service_answered_at: float | None
    service_failed_at: float | None
    service_failures: int  # in a row
    service_error: str | None
    last_message_at: float | None
    last_poll_at: float | None

    @property
    def last_used_at(self) -> float | None:
        times = (self.last_message_at, self.last_poll_at, self.service_answered_at)
        return max((each for each in times if each is not None), default=None)
