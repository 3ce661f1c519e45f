"""Users and bots, and their roles."""

import re
from enum import IntEnum
from typing import Any

import msgspec
from msgspec import field

from tertulia.domain import limits, names
from tertulia.domain.people.grant import Grant
from tertulia.domain.personal import settings
from tertulia.errors import BadRequest

SECONDS_PER_DAY = 86_400
NOTIFICATION_BOT = "notification-bot@tertulia.invalid"  # the sender of notices
SPECTATOR_ID = 0

# The source of an avatar: generated, Gravatar, or uploaded.
DRAWN = "J"
GRAVATAR = "G"
UPLOADED = "U"


class Role(IntEnum):
    """Lower numbers have more permissions."""

    OWNER = 100
    ADMINISTRATOR = 200
    MODERATOR = 300
    MEMBER = 400
    GUEST = 600


class BotType(IntEnum):
    GENERIC = 1
    INCOMING_WEBHOOK = 2
    OUTGOING_WEBHOOK = 3
    EMBEDDED = 4


ERASED_DOMAIN = "erased.invalid"  # the domain of erased users' addresses


class EmailVisibility(IntEnum):
    EVERYONE = 1
    MEMBERS = 2
    ADMINISTRATORS = 3
    NOBODY = 4
    MODERATORS = 5


class User(msgspec.Struct, frozen=True):
    id: int
    realm_id: int
    email: str
    full_name: str
    role: Role
    is_active: bool
    joined_at: float
    bot_type: BotType | None = None
    bot_owner_id: int | None = None
    is_system_bot: bool = False
    timezone: str = ""
    avatar_source: str = DRAWN
    avatar_version: int = 1
    avatar_name: str | None = None  # of an uploaded avatar; cannot be guessed
    settings: dict[str, Any] = field(default_factory=dict)
    is_imported_stub: bool = False  # imported, and has not logged in yet

    @property
    def grant(self) -> Grant | None:
        """What limits an agent that acts as the user; see `domain/people/agents.py`."""
        return None

    @property
    def is_bot(self) -> bool:
        return self.bot_type is not None

    @property
    def person(self) -> int:
        """The account whose limits apply: a bot's owner for a bot."""
        return self.id if self.bot_owner_id is None else self.bot_owner_id

    @property
    def is_spectator(self) -> bool:
        return self.id == SPECTATOR_ID

    @property
    def is_guest(self) -> bool:
        return self.role == Role.GUEST

    @property
    def is_admin(self) -> bool:
        return self.role <= Role.ADMINISTRATOR

    @property
    def is_owner(self) -> bool:
        return self.role == Role.OWNER

    @property
    def is_moderator(self) -> bool:
        return self.role <= Role.MODERATOR

    def prefers(self, setting: str) -> Any:
        """The user's value of a personal setting, or the default."""
        return self.settings.get(setting, settings.DEFAULTS[setting])

    def is_full_member(self, waiting_days: int, now: float) -> bool:
        if self.role != Role.MEMBER:
            return self.role < Role.MEMBER
        return now - self.joined_at >= waiting_days * SECONDS_PER_DAY

    @property
    def email_visibility(self) -> EmailVisibility:
        return EmailVisibility(self.prefers("email_address_visibility"))

    @property
    def hides_email(self) -> bool:
        shown_to: int = self.prefers("email_address_visibility")
        return shown_to != EmailVisibility.EVERYONE and not self.is_bot

    def api_email(self, domain: str) -> str:
        """The public address: the real one only if everyone may see it."""
        return self.placeholder_email(domain) if self.hides_email else self.email

    @property
    def is_erased(self) -> bool:
        """Whether the personal data of the user was erased."""
        return self.email == self.placeholder_email(ERASED_DOMAIN)

    def placeholder_email(self, domain: str) -> str:
        """The address that is shown in place of the real one."""
        return f"user{self.id}@{domain}"


def spectator(realm_id: int) -> User:
    """The user object for visitors without a login: a guest without subscriptions.

    No account has its id, so it has received nothing and owns nothing.
    """
    return User(
        id=SPECTATOR_ID,
        realm_id=realm_id,
        email="",
        full_name="Anonymous User",
        role=Role.GUEST,
        is_active=True,
        joined_at=0,
    )


def may_see_email(viewer: User | None, user: User) -> bool:
    if viewer is None:
        return False
    return viewer.id == user.id or viewer.role <= email_shown_to(user)


def email_shown_to(user: User) -> int:
    """The lowest role that may see the real address; 0 if none may."""
    if user.is_bot:
        return Role.GUEST
    return _EMAIL_SHOWN_TO[user.prefers("email_address_visibility")]


_EMAIL_SHOWN_TO: dict[int, int] = {
    EmailVisibility.EVERYONE: Role.GUEST,
    EmailVisibility.MEMBERS: Role.MEMBER,
    EmailVisibility.MODERATORS: Role.MODERATOR,
    EmailVisibility.ADMINISTRATORS: Role.ADMINISTRATOR,
    EmailVisibility.NOBODY: 0,
}


_EMAIL = re.compile(
    r"[^@\s\x00-\x1f\"<>(),:;\\\[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?"
)


# Mail servers ignore only the case of ASCII letters. Case folding would make `straße@` and
# `strasse@` one address, but they may belong to two people.
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def email_key(email: str) -> str:
    """The form in which addresses are stored and compared: ASCII letters in lower case."""
    return email.strip().translate(_ASCII_LOWER)


def looks_like_email(text: str) -> bool:
    return _EMAIL.fullmatch(text) is not None and names.first_bad_character(text) is None


# Names with another meaning in a mention, and the names of system bots.
_RESERVED = frozenset(("all", "everyone", "channel", "stream", "topic", "notification bot"))


def checked_full_name(name: str) -> str:
    """The name as it is stored. Raises BadRequest if it could be mistaken for markup or another
    name."""
    name = re.sub(" +", " ", names.normalized(name))
    if not name:
        raise BadRequest("Name must not be empty!", problem="name-empty")
    if len(name) > limits.MAX_FULL_NAME_LENGTH:
        raise BadRequest("Name too long!", problem="name-too-long")
    seen = names.visible_part(name)
    if (
        any(char in '*`\\>"@' for char in seen)
        or not seen.isprintable()
        or names.first_bad_character(name) is not None
    ):
        raise BadRequest("Invalid characters in name!", problem="name-characters-invalid")
    if names.is_like_one_of(name, _RESERVED):
        raise BadRequest("Name is reserved!", problem="name-reserved")
    if re.search(r"\|\d+$", name):
        raise BadRequest("Invalid format!", problem="name-format-invalid")
    return name


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
