"""Letters: mails to people. What each kind says, in every language, is in `links/letters/`."""

import msgspec

from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.user import User

LANGUAGES = ("en", "es")  # the first one is for whoever speaks none of them

BETWEEN = "\x1e"  # paragraphs within a value of a letter

FIRST_PAUSE_SECONDS = 60.0
MAX_BACKOFF_SECONDS = 7200.0
GIVEN_UP_AFTER_SECONDS = 86400.0


class Letter(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be said to whom. `values` fill in the text of its kind."""

    kind: str
    to: str
    language: str = LANGUAGES[0]
    values: dict[str, str] = {}
    headers: dict[str, str] = {}  # besides the usual ones
    from_name: str = ""
    reply_to: str = ""
    timezone: str = ""  # of whoever gets it
    html: str = ""  # what the HTML says in place of the text, where that is more than paragraphs


class PostedLetter(msgspec.Struct, frozen=True):
    """A letter in the box, as it is stored."""

    id: int
    realm_id: int
    kind: str
    sealed: bytes
    written_at: float
    tries: int

    def next_try(self, now: float) -> float | None:
        """When to try again after one more failure; None if that is no use any more."""
        if now - self.written_at >= GIVEN_UP_AFTER_SECONDS:
            return None
        pause: float = FIRST_PAUSE_SECONDS * 2 ** min(self.tries, 20)
        return now + min(pause, MAX_BACKOFF_SECONDS)


def language_of(user: User) -> str:
    """The language in which somebody wants to be written to."""
    return _spoken(user.prefers("default_language"))


def language_in(realm: Realm) -> str:
    """The language for those of whom an organization knows nothing yet."""
    return _spoken(realm.setting("default_language"))


def _spoken(language: str) -> str:
    name = language.partition("-")[0].partition("_")[0].lower()
    return name if name in LANGUAGES else LANGUAGES[0]
