"""Alert words. Matches are found when a message is composed."""

from tertulia import domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.types.personal.alert_words import AlertWordsChanged


def add(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Add words. Blank and known ones are ignored. Returns all words."""
    storage.personal.alert_words.insert(tx, user.id, [word for word in words if word])
    known = storage.personal.alert_words.of_user(tx, user.id)
    if len(known) > domain.limits.MAX_ALERT_WORDS:
        raise BadRequest(f"Too many alert words (limit: {domain.limits.MAX_ALERT_WORDS})")
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return known


def remove(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Remove words, ignoring case. Unknown ones are ignored. Returns the remaining words."""
    storage.personal.alert_words.delete(tx, user.id, words)
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return storage.personal.alert_words.of_user(tx, user.id)
