"""Newcomers: what has to be known of somebody who is to have an account."""

import msgspec

from tertulia.domain.messages.notices import Words
from tertulia.domain.people.user import BotType, Role


class NewUser(msgspec.Struct, frozen=True):
    """Somebody who is to have an account. A bot's owner is named by id or by real address."""

    email: str
    full_name: str
    role: Role = Role.MEMBER
    password_hash: str | None = None
    bot_type: BotType | None = None
    bot_owner_email: str | None = None
    bot_owner_id: int | None = None
    channel_ids: tuple[int, ...] | None = None  # those of an invitation; None: the defaults
    with_defaults: bool = False  # the defaults besides


class WelcomeMessage(msgspec.Struct, frozen=True):
    """How somebody new is received: by words of Notification Bot, and a letter if mail is sent."""

    words: Words
    site: str = ""  # our address, as the letter names it; empty where no mail is sent
