"""Fast path of sending: plain messages to a topic that their sender has just posted to.

A plain message has no mentions and no attachments. Its permission and consequences are known from
the sender's last message (`caches/send_permits.py`), so no rule is checked in a transaction, and
the writer assigns ids to a whole batch at once. If a permission changed meanwhile, the send takes
the ordinary path.
"""

from collections.abc import Hashable
from functools import partial
from typing import Any

import msgspec

from tertulia import actions, caches, storage
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.caches.send_permits import SendPermits
from tertulia.database.fast_send import AssignedIds, FastSend
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft, Mentions, Message
from tertulia.domain.people.user import User
from tertulia.events.audience import Audience, Subscribers, Users
from tertulia.events.directory.organization import Organization
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.messages.message import LocalEcho, MessageSent

_encode = msgspec.json.Encoder().encode
_NOBODY = Mentions()
_UNNUMBERED = len('{"message_id":0')


def to_channel(
    permits: SendPermits,
    org: Organization,
    sender: User,
    where: int | str,
    topic: str,
    draft: Draft,
    key: SendKey | None,
    echo: LocalEcho | None,
) -> FastSend | None:
    """A send to a channel, if it qualifies for the fast path."""
    channel = org.channels.get(where) if isinstance(where, int) else org.channel_named(where)
    if channel is None:
        return None
    place = caches.send_permits.in_topic(channel.id, topic)
    return _plain(permits, org, sender, place, draft, key, echo, channel=channel, topic=topic)


def to_people(
    permits: SendPermits,
    org: Organization,
    sender: User,
    recipients: list[int] | list[str],
    draft: Draft,
    key: SendKey | None,
    echo: LocalEcho | None,
) -> FastSend | None:
    """A direct message to users given by id, if it qualifies for the fast path."""
    ids = {each for each in recipients if isinstance(each, int)}
    if len(ids) != len(recipients):
        return None
    member_ids = tuple(sorted(ids | {sender.id}))
    if any(_has_webhook(org, user_id) for user_id in member_ids):
        return None  # every message to an outgoing webhook triggers it
    place = caches.send_permits.in_conversation(member_ids)
    return _plain(permits, org, sender, place, draft, key, echo, member_ids=member_ids)


def _has_webhook(org: Organization, user_id: int) -> bool:
    user = org.users.get(user_id)
    return user is not None and actions.people.webhook_triggers.has_webhook(user)


def _plain(
    permits: SendPermits,
    org: Organization,
    sender: User,
    place: Hashable,
    draft: Draft,
    key: SendKey | None,
    echo: LocalEcho | None,
    *,
    channel: Channel | None = None,
    topic: str = "",
    member_ids: tuple[int, ...] = (),
) -> FastSend | None:
    proof = permits.find(org.realm.id, sender.id, place, org.clock())
    if proof is None or not _is_plain(draft) or "\0" in topic + draft.client:
        return None
    channel_id = None if channel is None else channel.id
    template = MessageSent(
        message_id=0,
        sender_id=sender.id,
        channel_id=channel_id,
        read_by_sender=draft.read_by_sender,
        echo=echo,
        read_by=proof.read_by,
    )
    to = Users(list(member_ids)) if channel_id is None else Subscribers(channel_id)
    row = storage.messages.new_row(sender.id, draft, channel_id, proof.conversation_id, topic)
    return FastSend(
        valid_as_of=org.position,
        row=row,
        audience=_encode(to).decode(),
        payload=_encode(template)[_UNNUMBERED:].decode(),
        key=None if key is None else (key.key, key.fingerprint),
        make_event=partial(_logged_event, template, to, org.realm.id, member_ids, row),
        make_result=partial(_sent, channel, topic, member_ids),
    )


def _is_plain(draft: Draft) -> bool:
    return (
        draft.mentions == _NOBODY
        and not draft.path_ids
        and not draft.alerted
        and draft.widget is None
    )


def _logged_event(
    template: MessageSent,
    to: Audience,
    realm_id: int,
    member_ids: tuple[int, ...],
    row: dict[str, Any],
    given: AssignedIds,
) -> LoggedEvent:
    """The event as a reader of the log would find it."""
    sent = Message(
        id=given.message_id,
        realm_id=realm_id,
        sent_at=given.at,
        member_ids=member_ids,
        **storage.messages.message_columns(row),
    )
    event = msgspec.structs.replace(template, message_id=given.message_id, message=sent)
    return LoggedEvent(realm_id, given.seq, event, to, given.stamp)


def _sent(
    channel: Channel | None, topic: str, member_ids: tuple[int, ...], given: AssignedIds
) -> Sent:
    return Sent(given.message_id, None, channel, topic, member_ids)
