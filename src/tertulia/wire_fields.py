"""What many objects, events and endpoints share: the type of a field with its description."""

from typing import Annotated

from tertulia.wire import Doc, IdMarker

BotId = Annotated[int, IdMarker, Doc("The id of the bot.", example=10)]
BotOwnerId = Annotated[int, IdMarker, Doc("The id of the bot's owner; null if there is none.")]
ChannelId = Annotated[int, IdMarker, Doc("The id of the channel.", example=7)]
ChannelNameOrId = Annotated[str, Doc("The channel, by name or id.", example="general")]
CreatorId = Annotated[int, IdMarker, Doc("The id of the creator; null if unknown.")]
EditorId = Annotated[int, IdMarker, Doc("The id of the user who made the edit; null if unknown.")]
FieldId = Annotated[int, IdMarker, Doc("The id of the profile field.", example=3)]
GroupId = Annotated[int, IdMarker, Doc("The id of the group.", example=12)]
MessageId = Annotated[int, IdMarker, Doc("The id of the message.", example=42)]
SenderId = Annotated[int, IdMarker, Doc("The id of the sender.")]
UserId = Annotated[int, IdMarker, Doc("The id of the user.", example=9)]

AccountKey = Annotated[str, Doc("The API key of the account.")]
AddressOfUser = Annotated[str, Doc("The email address of the user.", example="ana@example.com")]
AllowEmptyTopicName = Annotated[
    bool, Doc("Whether the empty topic is sent as empty text; otherwise it has a display name.")
]
AlwaysFalse = Annotated[bool, Doc("Always false here.")]
AnswerToken = Annotated[str, Doc("The token of the answer.")]
ApplyMarkdown = Annotated[
    bool, Doc("Whether messages are rendered as HTML; otherwise they are Markdown.")
]
AskedBy = Annotated[
    int, IdMarker, Doc("The id of the user who asked, and who may stop the answer.")
]
Away = Annotated[bool, Doc("Whether the user hides their presence.")]
BotTypeNumber = Annotated[
    int,
    Doc("The type of the bot: 1 generic, 2 incoming webhook, 3 outgoing webhook; null for people."),
]
ClientAddress = Annotated[str, Doc("The network address of the client.")]
ClientGravatar = Annotated[bool, Doc("Whether the client computes Gravatar addresses itself.")]
Complete = Annotated[bool, Doc("Whether the operation is complete; otherwise repeat the request.")]
CreationTime = Annotated[int, Doc("The time of creation, in UNIX seconds.")]
DefaultPushNotifications = Annotated[
    bool, Doc("Whether new subscribers get push notifications by default.")
]
DeliveryEmail = Annotated[str, Doc("The real email address; null if the caller may not see it.")]
DirectMembers = Annotated[list[int], Doc("The members of a direct conversation.")]
EditTime = Annotated[int, Doc("The time of the edit, in UNIX seconds.")]
EmojiCode = Annotated[str, Doc("The code that identifies the emoji.")]
EmojiName = Annotated[str, Doc("The name of the emoji, such as `tada`.", example="tada")]
EntryCount = Annotated[int, Doc("The number of entries.")]
ExpiryTime = Annotated[int, Doc("The expiry, in UNIX seconds.")]
FullName = Annotated[str, Doc("The full name.")]
HistoryPublicToSubscribers = Annotated[
    bool, Doc("Whether new subscribers can read older messages.")
]
HtmlText = Annotated[str, Doc("The text as HTML.")]
IsActive = Annotated[bool, Doc("Whether the account is active.")]
IsBot = Annotated[bool, Doc("Whether the user is a bot.")]
IsDefaultChannel = Annotated[bool, Doc("Whether new users are subscribed to the channel.")]
IsMeMessage = Annotated[bool, Doc("Whether the message begins with `/me`.")]
IsPrivate = Annotated[bool, Doc("Whether the channel is private.")]
IsWebPublic = Annotated[bool, Doc("Whether the channel can be read without a login.")]
LastUsed = Annotated[int, Doc("The time of the last use, in UNIX seconds; null if never.")]
MarkdownText = Annotated[str, Doc("The text, in Markdown.", example="Soup is on!")]
MessageCount = Annotated[int, Doc("The number of messages.")]
MessageFlags = Annotated[
    list[str],
    Doc("The flags of the message for the caller: `read`, `starred`, `mentioned` and others."),
]
MessageTopic = Annotated[str, Doc("The topic; empty for direct messages.")]
NewestTimestamp = Annotated[
    int, Doc("When the newest of the messages was sent, in UNIX seconds; null if there are none.")
]
OldestTimestamp = Annotated[
    int, Doc("When the oldest of the messages was sent, in UNIX seconds; null if there are none.")
]
PictureUrl = Annotated[
    str, Doc("The URL of the picture; null if the client computes the Gravatar address.")
]
PreviousChannel = Annotated[int, Doc("The id of the previous channel.")]
PreviousHtml = Annotated[str, Doc("The previous text, as HTML.")]
PreviousText = Annotated[str, Doc("The previous text.")]
PreviousTopic = Annotated[str, Doc("The previous topic.")]
ReadBySender = Annotated[bool, Doc("Whether the message is read for its sender.")]
RecipientType = Annotated[str, Doc("The type of recipient: `stream` or `private`.")]
SenderFullName = Annotated[str, Doc("The name of the sender.")]
ServiceFeatureLevel = Annotated[int, Doc("The feature level of the API.")]
ServiceMergeBase = Annotated[str, Doc("The release that the version is based on.")]
ServiceVersion = Annotated[str, Doc("The API version.")]
SettingName = Annotated[str, Doc("The name of the setting.")]
SlimPresence = Annotated[
    bool, Doc("Whether presence is keyed by user id, not in the older format.")
]
StatusLine = Annotated[str, Doc("What the bot is doing, in one line.")]
StatusText = Annotated[str, Doc("The status, up to 60 characters.")]
TopicName = Annotated[str, Doc("The topic.")]
UserRole = Annotated[
    int, Doc("The role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.")
]
VisibleEmail = Annotated[str, Doc("The visible email address.")]
ZulipFeatureLevel = Annotated[int, Doc("The same as `service_feature_level`.")]
ZulipMergeBase = Annotated[str, Doc("The same as `service_merge_base`.")]
ZulipVersion = Annotated[str, Doc("The same as `service_version`.")]
DeliveryTimestamp = Annotated[
    int, Doc("The time of delivery, in UNIX seconds.", example=4102444800)
]
DeviceId = Annotated[
    int, IdMarker, Doc("The id of the device, from `POST /register_client_device`.", example=3)
]
HasFailed = Annotated[bool, Doc("Whether delivery failed.")]
ListPosition = Annotated[int, Doc("The position in the list, from 0.")]
PushKeyId = Annotated[int, Doc("The device's number of its push key.")]
UrlTemplate = Annotated[str, Doc("The URL, as an RFC 6570 template.")]
