"""Invitations: what somebody gets who accepts one, and who may give it."""

import re

import msgspec

from tertulia import domain
from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import AdministratorRequired, OwnerRequired

DEFAULT_MINUTES = 14400  # ten days
ADDRESSES_PER_CALL = 200
WELCOME_LENGTH = 8000

_ADDRESS = re.compile(r"<([^<>]+)>\s*$")


class Terms(msgspec.Struct, frozen=True):
    """What an invitation says beyond for whom it is."""

    role: Role = Role.MEMBER
    channel_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    with_defaults: bool = False  # the channels that newcomers are in, besides
    tells_inviter: bool = True
    minutes: int | None = DEFAULT_MINUTES  # None for ever
    welcome: str = ""


class Invitation(msgspec.Struct, frozen=True):
    id: int
    inviter_id: int
    email: str | None  # None: a link for whoever has it
    terms: Terms
    sealed: bytes  # its key
    made_at: float
    expires_at: float | None
    is_ended: bool  # revoked, or used
    is_operators: bool = False  # made on the command line, in the name of an owner

    @property
    def is_for_many(self) -> bool:
        return self.email is None

    def is_good(self, now: float) -> bool:
        return not self.is_ended and (self.expires_at is None or now < self.expires_at)


def addresses_in(text: str) -> list[str]:
    """The addresses of a list as people paste it: commas, lines, `Name <address>`; each once."""
    found: dict[str, str] = {}
    for part in re.split(r"[,;\n\r]+", text):
        named = _ADDRESS.search(part.strip())
        address = (named[1] if named else part).strip()
        if address:
            found.setdefault(domain.people.user.email_key(address), address)
    return list(found.values())


def check_role(inviter: User, role: Role) -> None:
    """Raises for a role that the inviter may not give."""
    if role is Role.OWNER and not inviter.is_owner:
        raise OwnerRequired()
    if role in (Role.ADMINISTRATOR, Role.MODERATOR) and not inviter.is_admin:
        raise AdministratorRequired()
