"""Emails to users. The parts of each kind are in `external/mail/layouts.py`."""

import msgspec

from tertulia import locale
from tertulia.domain.organization.realm import Realm
from tertulia.domain.people.user import User

BETWEEN = "\x1e"  # separates paragraphs within a value
LINE_BREAK = "\x01"  # within a paragraph of a value
INDENT = "\x02"  # a space at the beginning of a line


class Email(msgspec.Struct, frozen=True, omit_defaults=True):
    """An email to write. `values` are inserted into the text of its kind."""

    kind: str
    to: str
    language: str = "en"
    values: dict[str, str] = {}
    headers: dict[str, str] = {}  # additional ones
    from_name: str = ""
    reply_to: str = ""
    timezone: str = ""  # of the recipient
    html: str = ""  # the HTML body where it is more than the paragraphs of the text


def language_of(user: User) -> str:
    """The language for emails to a user."""
    return locale.closest(user.prefers("default_language"))


def language_in(realm: Realm) -> str:
    """The language for recipients without an account."""
    return locale.closest(realm.setting("default_language"))
