"""Alert words: keeping them, and finding those that a message says."""

from tertulia.domain import limits
from tertulia.domain.alert_words import fold, is_said, tokens
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.log import announce
from tertulia.events.types.alert_words import AlertWordsChanged
from tertulia.storage import alert_words
from tertulia.storage.tx import Tx


def add(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Add words; blank ones and those already there are passed over. Gives all of them."""
    alert_words.insert(tx, user.id, [word for word in words if word])
    known = alert_words.of_user(tx, user.id)
    if len(known) > limits.ALERT_WORDS:
        raise BadRequest(f"Too many alert words (limit: {limits.ALERT_WORDS})")
    announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return known


def remove(tx: Tx, user: User, words: list[str]) -> list[str]:
    """Remove words, whatever their case; unknown ones are passed over. Gives those left."""
    alert_words.delete(tx, user.id, words)
    announce(tx, AlertWordsChanged(user.id), to=Users([user.id]))
    return alert_words.of_user(tx, user.id)


def called_by(tx: Tx, content: str) -> list[int]:
    """Everybody in the organization one of whose words is said, whether or not they hear it.

    One look into an index, by the tokens of the text; how many read the message is all the same.
    """
    text = fold(content)
    said: dict[str, bool] = {}
    called: set[int] = set()
    for user_id, word in alert_words.candidates(tx, sorted(tokens(content))):
        if word not in said:
            said[word] = is_said(word, text)
        if said[word]:
            called.add(user_id)
    return sorted(called)
