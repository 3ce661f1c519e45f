"""The payload of a push notification, in the format that phones expect."""

import re
from typing import Any

from tertulia import domain
from tertulia.domain.channels.channel import Channel
from tertulia.domain.messages.message import Message
from tertulia.domain.outbox import OutboxItem
from tertulia.domain.people.known_people import UNKNOWN_NAME
from tertulia.domain.personal.web_push import WORDS
from tertulia.events.directory.organization import Organization

_GROUP = re.compile(r'<span class="user-group-mention" data-user-group-id="(\d+)">')


def of_message(
    org: Organization, site: str, item: OutboxItem, message: Message, channel: Channel | None
) -> dict[str, Any]:
    user_id, _ = item.subjects
    sender, reader = org.users[message.sender_id], org.users.get(user_id)
    text = domain.messages.notification_text.plain_text(message.rendered)
    payload: dict[str, Any] = {
        "type": "message",
        "realm_url": site,
        "realm_name": org.realm.name,
        "user_id": user_id,
        "sender_id": sender.id,
        "sender_full_name": sender.full_name if org.may_know(reader, sender) else UNKNOWN_NAME,
        "sender_avatar_url": f"{site}/avatar/{sender.id}",
        "message_id": message.id,
        "time": int(message.sent_at),
        "content": text if len(text) <= WORDS else f"{text[:WORDS]}…",
    }
    if channel is None:
        ids = sorted(message.member_ids)
        return payload | {"recipient_type": "direct", "recipient_user_ids": ids}
    channel_fields = {
        "channel_id": channel.id,
        "channel_name": channel.name,
        "topic": message.topic,
    }
    payload |= {"recipient_type": "channel", **channel_fields}
    group_id = _mentioned_group(org, item, message)
    if group_id is not None:
        payload["mentioned_user_group_id"] = group_id
        payload["mentioned_user_group_name"] = org.groups[group_id].name
    return payload


def shortened(payload: dict[str, Any]) -> dict[str, Any]:
    """The same payload without the text and without the list of recipients."""
    return {name: payload[name] for name in payload if name != "recipient_user_ids"} | {
        "content": ""
    }


def _mentioned_group(org: Organization, item: OutboxItem, message: Message) -> int | None:
    """The smallest group by which a user is mentioned who is not mentioned by name."""
    if item.kind != "mentioned":
        return None
    if f'<span class="user-mention" data-user-id="{item.user_id}">' in message.rendered:
        return None
    named = {int(number) for number in _GROUP.findall(message.rendered)} & org.groups.keys()
    members = {each: org.all_members_of(each, org.clock()) for each in named}
    theirs = [each for each in named if item.user_id in members[each]]
    return min(theirs, key=lambda each: (len(members[each]), each), default=None)
