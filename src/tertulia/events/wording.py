"""The words in which a happening reaches a listener, as bytes that listeners share."""

from collections.abc import Hashable

import msgspec

from tertulia.domain.messages import Message
from tertulia.domain.narrow import passes
from tertulia.events.audience import WasSubscribed
from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.log import Happening
from tertulia.events.types.edits import MessageUpdated
from tertulia.events.types.messages import MessageSent, message_object, topic_links

_encode = msgspec.json.Encoder().encode


def concerns(
    happening: Happening, org: Organization, to: Listener, was_subscribed: WasSubscribed
) -> bool:
    """Whether a listener is to hear of a happening."""
    if not any(to.wants(event_type) for event_type in happening.event.types):
        return False
    if happening.audience.includes(org, to.user_id, was_subscribed):
        return True
    event = happening.event
    return (
        to.options.hears_public_channels
        and isinstance(event, MessageSent)
        and event.channel_id is not None
        and org.channels[event.channel_id].is_public
        and org.may_read(to.user_id, event.channel_id)
    )


def bodies(happening: Happening, org: Organization, to: Listener) -> list[bytes]:
    """The wire events for a listener, each a JSON object still without its id."""
    if isinstance(happening.event, MessageSent):
        return _message_bodies(happening, happening.event, org, to)
    if isinstance(happening.event, MessageUpdated):
        return _update_bodies(happening, happening.event, org, to)
    variant: Hashable = "shared" if happening.event.shared else None
    if variant is not None and variant in happening.encoded:
        known = happening.encoded[variant]
    else:
        known = [_encode(wire) for wire in happening.event.wire(org, to)]
        if variant is not None:
            happening.encoded[variant] = known
    if to.options.event_types is None or len(happening.event.types) == 1:
        return known
    return [_encode(wire) for wire in happening.event.wire(org, to) if to.wants(wire["type"])]


def _message_bodies(
    happening: Happening, event: MessageSent, org: Organization, to: Listener
) -> list[bytes]:
    message = happening.message
    if message is None:  # deleted since
        return []
    flags = event.flags_for(to.user_id)
    if to.options.narrow and not _is_let_through(org, message, to, flags):
        return []
    shared = _shared_bodies(happening, message, org, to, flags)
    local_id = event.echo_for(to)
    if local_id is None:
        return shared
    encoded = _encode(local_id)
    return [
        b'%s,"local_id":%s,"local_message_id":%s}' % (body[:-1], encoded, encoded)
        for body in shared
    ]


def _update_bodies(
    happening: Happening, event: MessageUpdated, org: Organization, to: Listener
) -> list[bytes]:
    if happening.message is None and event.mode is None:  # deleted since
        return []
    # Somebody who meets the messages where they went need not know what the place before is called.
    knows = event.channel_id is not None and org.may_see(to.user_id, event.channel_id)
    variant = (to.options.capabilities.empty_topic_name, knows)
    known = happening.encoded.get(variant)
    if known is None:
        name = event.channel_name if knows else ""
        links = topic_links(org, event.topic or "")
        told = event.told(happening.words, name, links, to)
        known = happening.encoded[variant] = [_encode(told)]
    return known


def _shared_bodies(
    happening: Happening, message: Message, org: Organization, to: Listener, flags: list[str]
) -> list[bytes]:
    """Put into words once for all who want the same words; they share the very bytes."""
    options = to.options
    empty = options.capabilities.empty_topic_name
    knows = org.may_know(org.users[to.user_id], org.users[message.sender_id])
    variant = (options.apply_markdown, options.client_gravatar, empty, knows, *flags)
    known = happening.encoded.get(variant)
    if known is None:
        shown = message_object(
            org,
            message,
            apply_markdown=options.apply_markdown,
            client_gravatar=options.client_gravatar,
            allow_empty_topic=empty,
            knows_sender=knows,
        )
        body = b'{"type":"message","message":%s,"flags":%s}' % (_encode(shown), _encode(flags))
        known = happening.encoded[variant] = [body]
    return known


def _is_let_through(org: Organization, message: Message, to: Listener, flags: list[str]) -> bool:
    channel_id = message.channel_id
    sender = org.users[message.sender_id]
    return passes(
        to.options.narrow,
        channel_name=None if channel_id is None else org.channels[channel_id].name,
        topic=message.topic,
        sender_email=sender.api_email(org.email_domain),
        flags=flags,
    )
