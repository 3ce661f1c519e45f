"""Invitations: what an invited user gets, and who may invite with which role."""

import msgspec

from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import AdministratorRequired, OwnerRequired

DEFAULT_MINUTES = 14400  # ten days


class Terms(msgspec.Struct, frozen=True):
    """The terms of an invitation, apart from its recipient."""

    role: Role = Role.MEMBER
    channel_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    with_defaults: bool = False  # also the default channels
    notifies_inviter: bool = True
    minutes: int | None = DEFAULT_MINUTES  # None: never expires
    welcome: str = ""


class Invitation(msgspec.Struct, frozen=True):
    id: int
    inviter_id: int
    email: str | None  # None: a link for anyone who has it
    terms: Terms
    sealed: bytes  # its key
    created_at: float
    expires_at: float | None
    is_ended: bool  # revoked or used
    is_operators: bool = False  # created on the command line, in the name of an owner

    @property
    def is_for_many(self) -> bool:
        return self.email is None

    def is_good(self, now: float) -> bool:
        return not self.is_ended and (self.expires_at is None or now < self.expires_at)


def check_role(inviter: User, role: Role) -> None:
    """Raise if the inviter may not give this role."""
    if role is Role.OWNER and not inviter.is_owner:
        raise OwnerRequired()
    if role in (Role.ADMINISTRATOR, Role.MODERATOR) and not inviter.is_admin:
        raise AdministratorRequired()
