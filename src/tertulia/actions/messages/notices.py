"""Notices: messages of Notification Bot about actions of users.

They are sent in the transaction of the action, without the checks of user messages.
"""

from collections.abc import Sequence

from msgspec.structs import replace
from pyroaring import BitMap64

from tertulia import events, storage
from tertulia.actions.channels import channel_stats
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Draft
from tertulia.domain.messages.notices import NoticeText
from tertulia.domain.people.user import NOTIFICATION_BOT, User
from tertulia.events.audience import Subscribers, Users
from tertulia.events.types.messages.message import MessageSent

CHANNEL_EVENTS = "channel events"
NEW_CHANNELS = "new channels"
SIGNUPS = "signups"

CLIENT = "Internal"
RENDER_VERSION = 0


def post(
    tx: Tx,
    channel: Channel,
    topic: str,
    text: NoticeText,
    *,
    read_by: Sequence[int] = (),
    unread_only_for: Sequence[int] | None = None,
    is_unread: bool = True,
) -> None:
    """Post a notice to a channel; it is read for `read_by`, who caused it.

    `unread_only_for` makes it read for all other users. With `is_unread=False` the event says that
    it is read; the caller marks it as read.
    """
    draft = _draft(text, resolve_notice=unread_only_for is not None)
    _post(
        tx,
        channel,
        topic,
        draft,
        read_by=read_by,
        unread_only_for=unread_only_for,
        is_unread=is_unread,
    )


def post_without_account(tx: Tx, channel: Channel, topic: str, draft: Draft) -> int:
    """Post what someone without an account wrote. Returns the message id."""
    ours = replace(draft, render_version=RENDER_VERSION, read_by_sender=True)
    return _post(tx, channel, topic, ours)


def _post(
    tx: Tx,
    channel: Channel,
    topic: str,
    draft: Draft,
    *,
    read_by: Sequence[int] = (),
    unread_only_for: Sequence[int] | None = None,
    is_unread: bool = True,
) -> int:
    sender = bot(tx)
    message_id = storage.messages.table.insert_in_channel(tx, sender.id, channel.id, topic, draft)
    storage.messages.flags.add_flag(tx, "unread_notice", unread_only_for or (), message_id)
    for user_id in read_by:
        waiting = storage.messages.unread.load(tx, user_id)
        storage.messages.unread.change(tx, user_id, waiting - BitMap64([message_id]))
    event = MessageSent(
        message_id=message_id,
        sender_id=sender.id,
        channel_id=channel.id,
        read_by_sender=True,
        read_by=[*read_by, *storage.personal.muted_users.muted_by(tx, sender.id)],
        resolve_notice=unread_only_for is not None or not is_unread,
        unread_for=list(unread_only_for or ()),
    )
    events.log.announce(tx, event, to=Subscribers(channel.id))
    present = storage.channels.table.find(tx, channel.id) or channel  # a move has just changed it
    channel_stats.record_message(tx, present, message_id)
    return message_id


def post_if_enabled(
    tx: Tx,
    channel: Channel,
    text: NoticeText,
    *,
    read_by: Sequence[int] = (),
    is_unread: bool = True,
) -> None:
    """Post a notice of a change of the channel, if the organization enables such notices."""
    if storage.organization.realms.current(tx).setting("send_channel_events_messages"):
        post(tx, channel, CHANNEL_EVENTS, text, read_by=read_by, is_unread=is_unread)


def send_to_user(tx: Tx, user_id: int, text: NoticeText) -> int:
    """Send a notice to one user. Returns the message id."""
    sender = bot(tx)
    members = sorted([sender.id, user_id])
    conversation_id = storage.messages.conversations.get_or_start(tx, members)
    message_id = storage.messages.table.insert_in_conversation(
        tx, sender.id, conversation_id, _draft(text)
    )
    event = MessageSent(
        message_id=message_id,
        sender_id=sender.id,
        read_by_sender=True,
        read_by=storage.personal.muted_users.muted_by(tx, sender.id),
    )
    events.log.announce(tx, event, to=Users(members))
    return message_id


def bot(tx: Tx) -> User:
    found = storage.people.users.find_system_bot(tx, NOTIFICATION_BOT)
    assert found is not None
    return found


def _draft(text: NoticeText, *, resolve_notice: bool = False) -> Draft:
    return Draft(
        content=text.source,
        rendered=text.html,
        render_version=RENDER_VERSION,
        client=CLIENT,
        read_by_sender=True,
        resolve_notice=resolve_notice,
    )
