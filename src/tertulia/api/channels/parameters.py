"""Parameters that several endpoints of channels share."""

from typing import Annotated, Literal

from tertulia import domain
from tertulia.api import permission_values
from tertulia.domain.channels.channel import NewChannel
from tertulia.domain.channels.topics import POLICIES
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS, GroupValue
from tertulia.domain.organization.settings import SETTINGS
from tertulia.errors import BadRequest
from tertulia.http.parameter_rules import (
    AtLeast,
    AtMost,
    BareOrJson,
    Id,
    MaxLength,
    NullRefused,
)
from tertulia.http.signatures import accepts
from tertulia.wire import Doc
from tertulia.wire_fields import (
    DefaultPushNotifications,
    HistoryPublicToSubscribers,
    IsDefaultChannel,
    IsPrivate,
    IsWebPublic,
)

Description = Annotated[str, MaxLength(domain.limits.MAX_CHANNEL_DESCRIPTION_LENGTH)]
RetentionDays = Annotated[
    int | str, BareOrJson, Doc("After how many days messages in the channel are deleted.")
]
TopicsPolicy = Annotated[
    str, BareOrJson, Doc("Whether the channel allows messages without a topic.")
]


SlowModeSeconds = Annotated[
    int,
    AtLeast(0),
    AtMost(domain.limits.MAX_SLOW_MODE_SECONDS),
    Doc("The seconds between two messages of a user; 0 ends slow mode.", example=30),
]
SlowModeUntil = Annotated[
    int,
    AtMost(domain.limits.MAX_TIME),
    Doc("When slow mode ends, in UNIX seconds; null for no end.", example=4102444800),
]

Announce = Annotated[bool, Doc("Whether to announce a new channel.")]
FolderOfChannel = Annotated[
    Id, Doc("The folder of the channel; null removes the channel from its folder.")
]


@accepts(permission_values.parameters(CHANNEL_PERMISSIONS, GroupValue))
def new_channel(
    *,
    invite_only: Annotated[IsPrivate, NullRefused] = False,
    is_web_public: IsWebPublic = False,
    is_default_stream: IsDefaultChannel = False,
    folder_id: FolderOfChannel | None = None,
    default_push_notifications: DefaultPushNotifications = False,
    history_public_to_subscribers: HistoryPublicToSubscribers | None = None,
    message_retention_days: RetentionDays = "realm_default",
    topics_policy: TopicsPolicy = "inherit",
    **permissions: GroupValue,
) -> NewChannel:
    """A channel without a name: the template for new ones."""
    return NewChannel(
        name="",
        invite_only=invite_only,
        is_web_public=is_web_public,
        is_default=is_default_stream,
        history_public=history_public_to_subscribers,
        retention_days=retention_days(message_retention_days),
        topics_policy=checked_policy(topics_policy),
        folder_id=folder_id,
        default_push=default_push_notifications,
        permissions=permissions,
    )


def one_line(description: str) -> str:
    return description.strip().replace("\n", " ")


def checked_policy(policy: str) -> str:
    if policy not in POLICIES:
        raise BadRequest("Invalid topics_policy")
    return policy


def retention_days(value: int | str | Literal["realm_default", "unlimited"]) -> int | None:
    """Retention as stored: None for the organization's default, -1 for unlimited."""
    if value == "realm_default":
        return None
    days: int = SETTINGS["message_retention_days"].checked(value)
    return days
