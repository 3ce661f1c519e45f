"""Idempotent sends: repeated sends with the same key create one message."""

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.people.user import User
from tertulia.domain.personal.topic_policies import TopicPolicy
from tertulia.errors import BadRequest


class SendKey(msgspec.Struct, frozen=True):
    """An idempotency key, and a digest of the request."""

    key: str
    fingerprint: bytes
    kept_seconds: float


class Sent(msgspec.Struct, frozen=True):
    """The result of a send."""

    message_id: int
    policy: TopicPolicy | None = None
    channel: Channel | None = None
    topic: str = ""
    member_ids: tuple[int, ...] = ()


def find_sent(tx: Tx, sender: User, key: SendKey | None) -> Sent | None:
    if key is None:
        return None
    found = storage.messages.send_keys.find(tx, sender.id, key.key, tx.now - key.kept_seconds)
    if found is None:
        return None
    if found.fingerprint != key.fingerprint:
        raise BadRequest(
            "This key was already used for a different message", problem="send-key-reused"
        )
    policy = None if found.policy is None else TopicPolicy(found.policy)
    message = storage.messages.table.find(tx, found.message_id)
    if message is None:
        return Sent(found.message_id, policy)
    channel = (
        None if message.channel_id is None else storage.channels.table.find(tx, message.channel_id)
    )
    return Sent(message.id, policy, channel, message.topic, message.member_ids)


def store(
    tx: Tx, sender: User, key: SendKey | None, message_id: int, policy: TopicPolicy | None
) -> None:
    if key is not None:
        value = None if policy is None else int(policy)
        storage.messages.send_keys.insert(
            tx, sender.id, key.key, key.fingerprint, message_id, value
        )
