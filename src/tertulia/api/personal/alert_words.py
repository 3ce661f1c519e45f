"""Alert words: texts that notify the user when a message contains them."""

from typing import Annotated

from tertulia import actions, domain, storage
from tertulia.api.call import Call
from tertulia.http.parameter_rules import MaxItems, MaxLength, NoNul, Stripped
from tertulia.http.replies import Reply

Word = Annotated[str, Stripped, MaxLength(domain.limits.MAX_ALERT_WORD_LENGTH), NoNul]
Words = Annotated[list[Word], MaxItems(domain.limits.MAX_ALERT_WORDS)]


class AlertWords(Reply):
    alert_words: list[str]


async def fetch(call: Call) -> AlertWords:
    """List the caller's alert words."""
    known = await call.db.read(storage.personal.alert_words.of_user, call.user.id)
    return AlertWords(alert_words=known)


async def add(call: Call, *, alert_words: Words) -> AlertWords:
    """Add alert words; returns all of them."""
    known = await call.db.write(actions.personal.alert_words.add, call.user, alert_words)
    return AlertWords(alert_words=known)


async def remove(call: Call, *, alert_words: Words) -> AlertWords:
    """Remove alert words; returns the remaining ones."""
    left = await call.db.write(actions.personal.alert_words.remove, call.user, alert_words)
    return AlertWords(alert_words=left)
