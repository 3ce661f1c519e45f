"""The parameters of an account to create."""

import msgspec

from tertulia.domain.people.user import BotType, Role


class NewUser(msgspec.Struct, frozen=True):
    """The parameters of an account. A bot's owner is named by id or by real address."""

    email: str
    full_name: str
    role: Role = Role.MEMBER
    password_hash: str | None = None
    bot_type: BotType | None = None
    bot_owner_email: str | None = None
    bot_owner_id: int | None = None
    channel_ids: tuple[int, ...] | None = None  # of an invitation; None: the defaults
    with_defaults: bool = False  # also the defaults
