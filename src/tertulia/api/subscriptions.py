"""Subscriptions: the channels one is in, joining them, leaving them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions
from tertulia.actions.composing import paragraphs
from tertulia.actions.subscriptions import Wish
from tertulia.api.call import Call
from tertulia.domain import limits
from tertulia.domain.channels import FOREVER, NewChannel
from tertulia.domain.groups import GroupValue
from tertulia.domain.topics import POLICIES
from tertulia.errors import BadRequest, BadValue
from tertulia.events.snapshot.channels import my_subscriptions
from tertulia.events.types.channels import SubscriptionObject
from tertulia.http.replies import Reply
from tertulia.http.rules import BareOrJson, Id, MaxItems, MaxLength
from tertulia.storage import subscriptions as stored

Principals = Annotated[list[Id] | list[str], MaxItems(10_000)]
IncludeSubscribers = Literal["true", "false", "partial"]


class WantedChannel(msgspec.Struct):
    name: str
    description: Annotated[str, MaxLength(limits.CHANNEL_DESCRIPTION_LENGTH)] = ""


class Subscriptions(Reply):
    subscriptions: list[SubscriptionObject]


class Subscribed(Reply):
    subscribed: dict[str, list[str]]
    already_subscribed: dict[str, list[str]]
    unauthorized: list[str] | UnsetType = UNSET


class Unsubscribed(Reply):
    removed: list[str]
    not_removed: list[str]


async def mine(call: Call, *, include_subscribers: IncludeSubscribers = "false") -> Subscriptions:
    """The channels the caller is subscribed to."""
    rows = await call.db.read(stored.of_user, call.user.id)
    return Subscriptions(
        subscriptions=my_subscriptions(call.org, rows, include_subscribers, call.now)
    )


async def subscribe(
    call: Call,
    *,
    subscriptions: Annotated[list[WantedChannel], MaxItems(1000)],
    principals: Principals | None = None,
    authorization_errors_fatal: bool = True,
    invite_only: bool = False,
    is_web_public: bool = False,
    is_default_stream: bool = False,
    history_public_to_subscribers: bool | None = None,
    message_retention_days: Annotated[int | str, BareOrJson] = "realm_default",
    topics_policy: Annotated[str, BareOrJson] = "inherit",
    can_add_subscribers_group: GroupValue | None = None,
    can_remove_subscribers_group: GroupValue | None = None,
    can_administer_channel_group: GroupValue | None = None,
    can_delete_any_message_group: GroupValue | None = None,
    can_delete_own_message_group: GroupValue | None = None,
    can_move_messages_out_of_channel_group: GroupValue | None = None,
    can_move_messages_within_channel_group: GroupValue | None = None,
    can_send_message_group: GroupValue | None = None,
    can_subscribe_group: GroupValue | None = None,
    can_create_topic_group: GroupValue | None = None,
    can_resolve_topics_group: GroupValue | None = None,
) -> Subscribed:
    """Subscribe oneself or others to channels, creating those that do not exist."""
    if topics_policy not in POLICIES:
        raise BadRequest("Invalid topics_policy")
    permissions = {
        "can_add_subscribers_group": can_add_subscribers_group,
        "can_remove_subscribers_group": can_remove_subscribers_group,
        "can_administer_channel_group": can_administer_channel_group,
        "can_delete_any_message_group": can_delete_any_message_group,
        "can_delete_own_message_group": can_delete_own_message_group,
        "can_move_messages_out_of_channel_group": can_move_messages_out_of_channel_group,
        "can_move_messages_within_channel_group": can_move_messages_within_channel_group,
        "can_send_message_group": can_send_message_group,
        "can_subscribe_group": can_subscribe_group,
        "can_create_topic_group": can_create_topic_group,
        "can_resolve_topics_group": can_resolve_topics_group,
    }
    channels = [
        NewChannel(
            name=each.name.strip(),
            description=each.description.strip().replace("\n", " "),
            invite_only=invite_only,
            is_web_public=is_web_public,
            is_default=is_default_stream,
            history_public=history_public_to_subscribers,
            retention_days=retention_days(message_retention_days),
            topics_policy=topics_policy,
            permissions={name: value for name, value in permissions.items() if value is not None},
        )
        for each in subscriptions
    ]
    wish = Wish(
        channels=channels,
        rendered_descriptions=[paragraphs(each.description) for each in channels],
        principals=principals or [],
        authorization_errors_fatal=authorization_errors_fatal,
        web_public_allowed=(
            call.config.web_public_streams_enabled
            and bool(call.org.realm.setting("enable_spectator_access"))
        ),
    )
    outcome = await call.db.write(
        actions.subscriptions.subscribe, call.user, wish, call.org.email_domain
    )
    return Subscribed(
        subscribed={str(user): names for user, names in outcome.subscribed.items()},
        already_subscribed={str(user): names for user, names in outcome.already_subscribed.items()},
        unauthorized=UNSET if authorization_errors_fatal else outcome.unauthorized,
    )


async def unsubscribe(
    call: Call,
    *,
    subscriptions: Annotated[list[str], MaxItems(1000)],
    principals: Principals | None = None,
) -> Unsubscribed:
    """Leave channels, or take others out of them."""
    removed, not_removed = await call.db.write(
        actions.subscriptions.unsubscribe,
        call.user,
        subscriptions,
        principals or [],
        call.org.email_domain,
    )
    return Unsubscribed(removed=removed, not_removed=not_removed)


def retention_days(value: int | str) -> int | None:
    """Days as they are stored: None for the organization's own, -1 for ever."""
    if value == "realm_default":
        return None
    if value == "unlimited":
        return FOREVER
    if isinstance(value, int) and 0 < value < 2**31:
        return value
    raise BadValue(var_name="message_retention_days", bad_value=value)
