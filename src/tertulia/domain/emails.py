"""Emails to users. The text of each kind, in every language, is in `external/mail/templates/`."""

import msgspec

from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.user import User

LANGUAGES = ("en", "es")  # the first one is the fallback

BETWEEN = "\x1e"  # separates paragraphs within a value

FIRST_PAUSE_SECONDS = 60.0
MAX_BACKOFF_SECONDS = 7200.0
GIVEN_UP_AFTER_SECONDS = 86400.0


class Letter(msgspec.Struct, frozen=True, omit_defaults=True):
    """An email to write. `values` are inserted into the text of its kind."""

    kind: str
    to: str
    language: str = LANGUAGES[0]
    values: dict[str, str] = {}
    headers: dict[str, str] = {}  # additional ones
    from_name: str = ""
    reply_to: str = ""
    timezone: str = ""  # of the recipient
    html: str = ""  # the HTML body where it is more than the paragraphs of the text


class PostedLetter(msgspec.Struct, frozen=True):
    """An email in the outbox, as it is stored."""

    id: int
    realm_id: int
    kind: str
    sealed: bytes
    written_at: float
    tries: int

    def next_try(self, now: float) -> float | None:
        """When to try again after one more failure; None to give up."""
        if now - self.written_at >= GIVEN_UP_AFTER_SECONDS:
            return None
        pause: float = FIRST_PAUSE_SECONDS * 2 ** min(self.tries, 20)
        return now + min(pause, MAX_BACKOFF_SECONDS)


def language_of(user: User) -> str:
    """The language for emails to a user."""
    return _supported(user.prefers("default_language"))


def language_in(realm: Realm) -> str:
    """The language for recipients without an account."""
    return _supported(realm.setting("default_language"))


def _supported(language: str) -> str:
    name = language.partition("-")[0].partition("_")[0].lower()
    return name if name in LANGUAGES else LANGUAGES[0]
