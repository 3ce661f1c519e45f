"""Unsubscribing from a kind of mail with one click, without a login."""

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.personal.unsubscribe import SETTINGS


def unsubscribe(tx: Tx, kind: str, user_id: int) -> None:
    """Turn off mails of this kind."""
    user = storage.people.find(tx, user_id)
    if user is not None and user.is_active:
        wanted = dict.fromkeys(SETTINGS[kind], False)
        actions.personal.settings.change(
            tx, user, actions.personal.settings.SettingsChanges(settings=wanted)
        )
    if kind == "missed_messages":
        storage.personal.missed_messages.delete(tx, user_id)
