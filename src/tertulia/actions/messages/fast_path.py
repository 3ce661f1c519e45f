"""Fast path of sending: plain messages to a topic that their sender has just posted to.

A plain message has no mentions and no attachments. Its permission and consequences are known from
the sender's last message (`caches/send_permits.py`), so no rule is checked in a transaction, and
the writer assigns ids to a whole batch at once. If a permission changed meanwhile, the send takes
the ordinary path. `Database.write` asks `FastPath`; nothing else knows of it.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

import msgspec

from tertulia import caches, storage
from tertulia.actions.messages import send
from tertulia.actions.messages.idempotency import SendKey, Sent
from tertulia.actions.messages.send import ChannelDestination, PeopleDestination
from tertulia.actions.people import webhook_triggers
from tertulia.caches.send_permits import SendPermit, SendPermits
from tertulia.database.fast_send import AssignedIds, FastSend
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft, Mentions, Message
from tertulia.domain.people.user import User
from tertulia.events.audience import Audience, Subscribers, Users
from tertulia.events.directory.organization import Organization
from tertulia.events.directory.registry import Organizations
from tertulia.events.logged_event import LoggedEvent
from tertulia.events.types.messages.message import LocalEcho, MessageSent

_encode = msgspec.json.Encoder().encode
_NO_MENTIONS = Mentions()
_UNNUMBERED = len('{"message_id":0')


class FastPath:
    """Turns a write into a fast send, if it is a plain message and its sender has a permit."""

    def __init__(self, organizations: Organizations, permits: SendPermits) -> None:
        self._organizations = organizations
        self._permits = permits

    def prepare(
        self, realm_id: int, action: Callable[..., Any], args: tuple[Any, ...]
    ) -> FastSend | None:
        """None if the action must run."""
        org = self._organizations.get(realm_id) if action is send.send else None
        return None if org is None else self._send(org, *args)

    def _send(
        self,
        org: Organization,
        sender: User,
        to: ChannelDestination | PeopleDestination,
        draft: Draft,
        key: SendKey | None = None,
        echo: LocalEcho | None = None,
    ) -> FastSend | None:
        if not _is_plain(draft) or sender.grant is not None:
            return None
        resolved = _resolve(org, sender, to)
        if resolved is None or "\0" in resolved.topic + draft.client:
            return None
        permit = self._permits.find(org.realm.id, sender.id, resolved.key, org.clock())
        if permit is None or permit.topic != resolved.topic:
            return None
        return _fast_send(org, sender, resolved, draft, permit, key, echo)


class ResolvedDestination(NamedTuple):
    """A channel and topic, or the members of a conversation."""

    key: Hashable  # in the permits
    audience: Audience
    channel: Channel | None = None
    topic: str = ""
    member_ids: tuple[int, ...] = ()


def _resolve(
    org: Organization, sender: User, to: ChannelDestination | PeopleDestination
) -> ResolvedDestination | None:
    return (
        _in_channel(org, to) if isinstance(to, ChannelDestination) else _in_people(org, sender, to)
    )


def _in_channel(org: Organization, to: ChannelDestination) -> ResolvedDestination | None:
    where = to.where
    channel = org.channels.get(where) if isinstance(where, int) else org.channel_named(where)
    if channel is None or channel.slow_mode_seconds:
        return None
    key = caches.send_permits.in_topic(channel.id, to.topic)
    return ResolvedDestination(key, Subscribers(channel.id), channel, to.topic)


def _in_people(
    org: Organization, sender: User, to: PeopleDestination
) -> ResolvedDestination | None:
    """Only for users given by id."""
    ids = {each for each in to.recipients if isinstance(each, int)}
    if len(ids) != len(to.recipients):
        return None
    member_ids = tuple(sorted(ids | {sender.id}))
    if any(_has_webhook(org, user_id) for user_id in member_ids):
        return None  # every message to an outgoing webhook triggers it
    key = caches.send_permits.in_conversation(member_ids)
    return ResolvedDestination(key, Users(list(member_ids)), member_ids=member_ids)


def _has_webhook(org: Organization, user_id: int) -> bool:
    user = org.users.get(user_id)
    return user is not None and webhook_triggers.has_webhook(user)


def _fast_send(
    org: Organization,
    sender: User,
    to: ResolvedDestination,
    draft: Draft,
    permit: SendPermit,
    key: SendKey | None,
    echo: LocalEcho | None,
) -> FastSend:
    channel_id = None if to.channel is None else to.channel.id
    template = MessageSent(
        message_id=0,
        sender_id=sender.id,
        channel_id=channel_id,
        read_by_sender=draft.read_by_sender,
        echo=echo,
        read_by=permit.read_by,
    )
    row = storage.messages.table.new_row(
        sender.id, draft, channel_id, permit.conversation_id, permit.topic_id, permit.topic_since
    )
    return FastSend(
        valid_as_of=org.position,
        row=row,
        audience=_encode(to.audience).decode(),
        payload=_encode(template)[_UNNUMBERED:].decode(),
        key=None if key is None else (key.key, key.fingerprint),
        make_event=partial(_logged_event, template, to, org.realm.id, row),
        make_result=partial(_sent, to),
    )


def _is_plain(draft: Draft) -> bool:
    return (
        draft.mentions == _NO_MENTIONS
        and not draft.path_ids
        and not draft.alerted
        and draft.widget is None
        and not draft.wants_previews
    )


def _logged_event(
    template: MessageSent,
    to: ResolvedDestination,
    realm_id: int,
    row: dict[str, Any],
    given: AssignedIds,
) -> LoggedEvent:
    """The event as a reader of the log would find it."""
    sent = Message(
        id=given.message_id,
        realm_id=realm_id,
        sent_at=given.at,
        member_ids=to.member_ids,
        topic=to.topic,
        **storage.messages.table.message_columns(row),
    )
    event = msgspec.structs.replace(template, message_id=given.message_id, message=sent)
    return LoggedEvent(realm_id, given.seq, event, to.audience, given.stamp)


def _sent(to: ResolvedDestination, given: AssignedIds) -> Sent:
    return Sent(given.message_id, None, to.channel, to.topic, to.member_ids)
