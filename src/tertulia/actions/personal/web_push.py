"""Web Push: where people are told of messages when they are away, and what is told."""

from tertulia import domain, storage
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.web_push import PAUSE_SECONDS, TRIES, PushNotice, PushSubscription
from tertulia.errors import BadRequest
from tertulia.storage.database.tx import Tx

LEASE_SECONDS = 60.0


def keep_key(tx: Tx, vault: Vault, public: str, private: str) -> str:
    """Keep a new key, unless somebody was faster; gives the public half that counts."""
    storage.personal.web_push.set_key(tx, public, vault.seal(private))
    found = storage.personal.web_push.key(tx)
    assert found is not None
    return found[0]


def subscribe(tx: Tx, user: User, endpoint: str, p256dh: str, auth: str) -> int:
    """Tell somebody there, too; one more than there may be takes the place of the oldest."""
    domain.personal.web_push.checked(endpoint, p256dh, auth)
    known = storage.personal.web_push.of_user(tx, user.id)
    same = [each.id for each in known if each.endpoint == endpoint]
    others = [each.id for each in known if each.endpoint != endpoint]
    too_many = others[: max(0, len(others) + 1 - domain.limits.PUSH_SUBSCRIPTIONS)]
    storage.personal.web_push.delete(tx, [*same, *too_many])
    if storage.personal.missed.position(tx) is None:
        storage.personal.missed.set_position(tx, storage.log.head(tx))
    return storage.personal.web_push.insert(tx, user.id, endpoint, p256dh, auth)


def unsubscribe(tx: Tx, user: User, endpoint: str) -> None:
    known = storage.personal.web_push.of_user(tx, user.id)
    same = [each.id for each in known if each.endpoint == endpoint]
    if not same:
        raise BadRequest("No such subscription")
    storage.personal.web_push.delete(tx, same)


def take(
    tx: Tx, notice: PushNotice
) -> tuple[Message, Channel | None, list[PushSubscription]] | None:
    """What is to be told and where; None if it was read meanwhile, or there is nowhere."""
    message = storage.messages.find(tx, notice.message_id)
    subscriptions = storage.personal.web_push.of_user(tx, notice.user_id)
    is_unread = bool(storage.messages.unread.among(tx, notice.user_id, [notice.message_id]))
    if message is None or not subscriptions or not is_unread:
        storage.personal.web_push.forget(tx, notice.user_id, [notice.message_id])
        return None
    until = tx.now + LEASE_SECONDS
    storage.personal.web_push.put_off(tx, notice, until, tries=notice.tries)
    channel = None if message.channel_id is None else storage.channels.find(tx, message.channel_id)
    return message, channel, subscriptions


def done(tx: Tx, notice: PushNotice, gone: list[int], *, is_told: bool) -> None:
    """Note what became of it; `gone` are subscriptions that are no more."""
    if gone:
        storage.personal.web_push.delete(tx, gone)
    if is_told:
        storage.personal.web_push.note_sent(tx, notice)
    elif notice.tries + 1 < TRIES:
        until = tx.now + PAUSE_SECONDS
        storage.personal.web_push.put_off(tx, notice, until, tries=notice.tries + 1)
    else:
        storage.personal.web_push.forget(tx, notice.user_id, [notice.message_id])


def drop(tx: Tx, notice: PushNotice) -> None:
    """They are here, and see it by themselves."""
    storage.personal.web_push.forget(tx, notice.user_id, [notice.message_id])


def take_read(
    tx: Tx, user_id: int, message_ids: list[int]
) -> tuple[list[int], list[PushSubscription]]:
    """Those of the messages that a device shows and that were read elsewhere, or are gone."""
    unread = storage.messages.unread.among(tx, user_id, message_ids)
    read = [each for each in message_ids if each not in unread]
    if read:
        storage.personal.web_push.forget(tx, user_id, read)
    return read, storage.personal.web_push.of_user(tx, user_id) if read else []
