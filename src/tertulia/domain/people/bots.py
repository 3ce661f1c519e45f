"""Bots: what they have beyond an account, and what can be asked for when one is made."""

import secrets

import msgspec
from msgspec import field

from tertulia import domain
from tertulia.domain.people.user import BotType
from tertulia.errors import BadRequest

# How an outgoing webhook is spoken to: in our own format, or in that of Slack.
INTERFACES = (1, 2)
USUAL_INTERFACE = 1


class Service(msgspec.Struct, frozen=True):
    """Where an outgoing webhook is reached, and what proves to it that we are calling."""

    url: str
    interface: int
    token: str


class Bot(msgspec.Struct, frozen=True):
    """What a bot has beyond its account: places it uses when it names none, and its service."""

    user_id: int
    sending_channel_id: int | None = None
    listening_channel_id: int | None = None
    all_public_channels: bool = False
    service: Service | None = None
    config: dict[str, str] = field(default_factory=dict)


def bot_email(short_name: str, email_domain: str) -> str:
    email = f"{short_name.strip()}-bot@{email_domain}"
    if not short_name.strip() or not domain.people.user.looks_like_email(email):
        raise BadRequest("Bad name or username")
    return email


def checked_bot_type(number: int) -> BotType:
    """The kinds that people can make; a bot within the server would have to be there first."""
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
