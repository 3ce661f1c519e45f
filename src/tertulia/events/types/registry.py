"""Every kind of event the log can hold, by the word it is stored under."""

from tertulia.events.types.alert_words import AlertWordsChanged
from tertulia.events.types.attachments import AttachmentRemoved, AttachmentSaved
from tertulia.events.types.bots import BotChanged, BotOwnerChanged, BotsAdded, BotsGivenAway
from tertulia.events.types.channels import (
    ChannelArchived,
    ChannelChanged,
    ChannelCreated,
    ChannelsUncovered,
    DefaultChannelsChanged,
)
from tertulia.events.types.drafts import DraftDeleted, DraftEdited, DraftsAdded
from tertulia.events.types.edits import FirstMessageChanged, MessagesDeleted, MessageUpdated
from tertulia.events.types.emoji import EmojiAdded, EmojiDeactivated
from tertulia.events.types.event import Event
from tertulia.events.types.flags import FlagsChanged
from tertulia.events.types.folders import FolderAdded, FolderChanged, FoldersReordered
from tertulia.events.types.groups import (
    GroupChanged,
    GroupCreated,
    MembersChanged,
    SubgroupsChanged,
    SystemMembersAdded,
)
from tertulia.events.types.known_people import ConversationBegun, PeopleUncovered
from tertulia.events.types.linkifiers import LinkifiersChanged
from tertulia.events.types.mail_domains import DomainRemoved, DomainSaved
from tertulia.events.types.messages import MessageSent
from tertulia.events.types.muting import MutedUsersChanged
from tertulia.events.types.playgrounds import PlaygroundsChanged
from tertulia.events.types.profiles import ProfileChanged, ProfileFieldsChanged
from tertulia.events.types.reactions import ReactionChanged
from tertulia.events.types.realms import RealmChanged, RealmChangedTogether, RealmCreated
from tertulia.events.types.reminders import ReminderRemoved, ReminderSaved
from tertulia.events.types.scheduled import ScheduledMessageRemoved, ScheduledMessageSaved
from tertulia.events.types.settings import (
    AddressChanged,
    NewcomerSettingChanged,
    OwnNameChanged,
    SettingChanged,
    TimezoneChanged,
)
from tertulia.events.types.snippets import SnippetDeleted, SnippetSaved
from tertulia.events.types.status import StatusChanged
from tertulia.events.types.submessages import SubmessageAdded
from tertulia.events.types.subscriptions import Joined, Left, SubscriptionChanged
from tertulia.events.types.topics import TopicPolicyChanged
from tertulia.events.types.users import (
    AvatarChanged,
    KeyChanged,
    RoleChanged,
    UserActivityChanged,
    UserAdded,
)

KINDS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        AddressChanged,
        AlertWordsChanged,
        AttachmentRemoved,
        AttachmentSaved,
        AvatarChanged,
        BotChanged,
        BotOwnerChanged,
        BotsAdded,
        BotsGivenAway,
        ChannelArchived,
        ChannelChanged,
        ChannelCreated,
        ChannelsUncovered,
        ConversationBegun,
        DefaultChannelsChanged,
        DomainRemoved,
        DomainSaved,
        DraftDeleted,
        DraftEdited,
        DraftsAdded,
        EmojiAdded,
        EmojiDeactivated,
        FirstMessageChanged,
        FlagsChanged,
        FolderAdded,
        FolderChanged,
        FoldersReordered,
        GroupChanged,
        GroupCreated,
        Joined,
        KeyChanged,
        Left,
        LinkifiersChanged,
        MembersChanged,
        MessageSent,
        MessageUpdated,
        MessagesDeleted,
        MutedUsersChanged,
        NewcomerSettingChanged,
        OwnNameChanged,
        PeopleUncovered,
        PlaygroundsChanged,
        ProfileChanged,
        ProfileFieldsChanged,
        ReactionChanged,
        RealmChanged,
        RealmChangedTogether,
        RealmCreated,
        ReminderRemoved,
        ReminderSaved,
        RoleChanged,
        ScheduledMessageRemoved,
        ScheduledMessageSaved,
        SettingChanged,
        SnippetDeleted,
        SnippetSaved,
        StatusChanged,
        SubgroupsChanged,
        SubmessageAdded,
        SubscriptionChanged,
        SystemMembersAdded,
        TimezoneChanged,
        TopicPolicyChanged,
        UserActivityChanged,
        UserAdded,
    )
}
