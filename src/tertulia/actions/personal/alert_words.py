"""Alert words: keeping them, and finding those that a message says."""

from tertulia import domain, events, storage
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.types.personal.alert_words import AlertWordsChanged
from tertulia.storage.database.tx import Tx


def add(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Add words; blank ones and those already there are passed over. Gives all of them."""
    storage.personal.alert_words.insert(tx, user.id, [word for word in words if word])
    known = storage.personal.alert_words.of_user(tx, user.id)
    if len(known) > domain.limits.ALERT_WORDS:
        raise BadRequest(f"Too many alert words (limit: {domain.limits.ALERT_WORDS})")
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return known


def remove(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Remove words, whatever their case; unknown ones are passed over. Gives those left."""
    storage.personal.alert_words.delete(tx, user.id, words)
    events.log.announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return storage.personal.alert_words.of_user(tx, user.id)


def called_by(tx: Tx, content: str) -> list[int]:
    """Everybody in the organization one of whose words is said, whether or not they hear it.

    One look into an index, by the tokens of the text; how many read the message is all the same.
    """
    text = domain.personal.alert_words.fold(content)
    said: dict[str, bool] = {}
    called: set[int] = set()
    for user_id, word in storage.personal.alert_words.candidates(
        tx, sorted(domain.personal.alert_words.tokens(content))
    ):
        if word not in said:
            said[word] = domain.personal.alert_words.is_said(word, text)
        if said[word]:
            called.add(user_id)
    return sorted(called)
