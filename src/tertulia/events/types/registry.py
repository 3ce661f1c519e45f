"""Every kind of event the log can hold, by the word it is stored under."""

from tertulia.events.types.channels import ChannelCreated, ChannelLivened, Joined, Left
from tertulia.events.types.event import Event
from tertulia.events.types.groups import SystemMembersAdded
from tertulia.events.types.messages import MessageSent
from tertulia.events.types.realms import RealmChanged, RealmCreated
from tertulia.events.types.topics import TopicPolicyChanged
from tertulia.events.types.users import KeyChanged, UserActivityChanged, UserAdded

KINDS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        ChannelCreated,
        ChannelLivened,
        Joined,
        KeyChanged,
        Left,
        MessageSent,
        RealmChanged,
        RealmCreated,
        SystemMembersAdded,
        TopicPolicyChanged,
        UserActivityChanged,
        UserAdded,
    )
}
