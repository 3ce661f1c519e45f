"""Subscriptions: listing, subscribing, unsubscribing, and personal settings of each."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import actions, domain, events, storage
from tertulia.actions.channels.subscription_settings import Choice
from tertulia.actions.channels.subscriptions import Outcome, Removal, SubscribeRequest
from tertulia.api.call import Call, may_open_channels
from tertulia.api.channels.parameters import Announce, Description, new_channel, one_line
from tertulia.domain.channels.channel import NewChannel
from tertulia.errors import BadRequest
from tertulia.errors.authentication import GuestRefused
from tertulia.events.types.channels.subscriptions import SubscriptionObject, SubscriptionSetting
from tertulia.http.json_validation import JSON_KINDS
from tertulia.http.parameter_rules import BareOrJson, Example, Id, MaxItems, Problem, Rule
from tertulia.http.replies import Encoded, Reply
from tertulia.http.signatures import parameters_from
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId

Principals = Annotated[
    list[Id] | list[str],
    MaxItems(10_000),
    Doc("Ids or addresses of the users; without it, the caller."),
]
IncludeSubscribers = Annotated[
    Literal["true", "false", "partial"], Doc("Whether to include the subscribers.")
]

SWITCHES = {
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
}
NO_COLOR = "color is not a valid hex color code"


Removed = Annotated[list[str], Doc("The names of channels that were unsubscribed.")]
NotRemoved = Annotated[list[str], Doc("The names of channels without a change.")]


class RequestedChannel(msgspec.Struct):
    name: str
    description: Description = ""
    color: str | None = None

    def __post_init__(self) -> None:
        if self.color is not None:
            self.color = domain.channels.channel.checked_color(self.color)
            if self.color is None:
                raise ValueError(NO_COLOR)


class _SwitchOrText(Rule):
    """A boolean or a text; other values are refused with the message for a boolean."""

    kinds = JSON_KINDS

    def check(self, value: Any) -> Any:
        if type(value) not in (bool, str):
            raise Problem(" is not a boolean").at("bool")
        return value

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "boolean"}, {"type": "string"}]}


class ChosenProperty(msgspec.Struct):
    stream_id: Id
    property: str
    value: Annotated[Any, _SwitchOrText()]

    def __post_init__(self) -> None:
        if self.property == "color":
            color = (
                domain.channels.channel.checked_color(self.value)
                if isinstance(self.value, str)
                else None
            )
            if color is None:
                raise ValueError(NO_COLOR)
            self.value = color


class Subscriptions(Reply):
    subscriptions: Annotated[
        list[SubscriptionObject], Doc("The channels, with the personal settings of each.")
    ]


class Subscribed(Reply, kw_only=True):
    subscribed: Annotated[
        dict[str, list[str]], Doc("The names of newly subscribed channels, by user id.")
    ]
    already_subscribed: Annotated[
        dict[str, list[str]], Doc("The names of channels without a change, by user id.")
    ]
    new_subscription_messages_sent: Annotated[
        bool | UnsetType, Doc("Whether new subscribers got a message.")
    ] = UNSET
    unauthorized: Annotated[
        list[str] | UnsetType, Doc("The names of channels that the user may not join.")
    ] = UNSET


class Unsubscribed(Reply):
    removed: Removed
    not_removed: NotRemoved


class EditedSubscriptions(Subscribed, kw_only=True):
    removed: Removed
    not_removed: NotRemoved


async def list_own(
    call: Call, *, include_subscribers: IncludeSubscribers = "false"
) -> Encoded[Subscriptions]:
    """List the caller's subscriptions."""
    rows = await call.db.read(storage.channels.grouped_subscriptions.of_user, call.user.id)
    shown = events.snapshot.channels.my_subscriptions(
        call.org, call.user, rows, include_subscribers
    )
    return Encoded(b'{"subscriptions":', *shown.pieces(), b"}")


@parameters_from(new_channel)
async def subscribe(
    call: Call,
    *,
    subscriptions: Annotated[
        list[RequestedChannel],
        MaxItems(1000),
        Doc("The channels, by name.", example=[{"name": "kitchen"}]),
    ],
    principals: Principals | None = None,
    authorization_errors_fatal: Annotated[
        bool, Doc("Whether one channel that the user may not join makes the whole request fail.")
    ] = True,
    announce: Announce = False,
    send_new_subscription_messages: Annotated[
        bool, Doc("Whether new subscribers get a message.")
    ] = True,
    **how: Any,
) -> Subscribed:
    """Subscribe the caller or others to channels; create channels that do not exist."""
    request = await _subscribe_request(
        call,
        subscriptions,
        new_channel(**how),
        principals=principals or [],
        authorization_errors_fatal=authorization_errors_fatal,
        announced=announce,
        notifies_subscribers=send_new_subscription_messages,
    )
    outcome = await call.db.write(
        actions.channels.subscriptions.subscribe, call.user, request, call.org.email_domain
    )
    await subscribe_remaining(call, request, outcome)
    return Subscribed(**_outcome(outcome, request))


async def unsubscribe(
    call: Call,
    *,
    subscriptions: Annotated[
        list[str],
        MaxItems(1000),
        Doc("The channels, by name.", example=[{"name": "kitchen"}]),
        Example(["garden"]),
    ],
    principals: Principals | None = None,
) -> Unsubscribed:
    """Unsubscribe the caller or others from channels."""
    removal = Removal(subscriptions, principals or [])
    actions.channels.subscriptions.check_size(len(subscriptions), len(removal.principals))
    found = await call.db.write(
        actions.channels.subscriptions.unsubscribe, call.user, removal, call.org.email_domain
    )
    for user_ids in found.remaining:
        await call.db.write(
            actions.channels.subscriptions.unsubscribe_remaining,
            call.user,
            found.channel_ids,
            user_ids,
        )
    return Unsubscribed(removed=found.removed, not_removed=found.not_removed)


async def edit(
    call: Call,
    *,
    add: Annotated[
        list[RequestedChannel],
        MaxItems(1000),
        Doc("Ids or names to add."),
        Example([{"name": "garden"}]),
    ]
    | None = None,
    delete: Annotated[list[str], MaxItems(1000), Doc("Ids or names to remove.")] | None = None,
) -> EditedSubscriptions:
    """Subscribe to and unsubscribe from channels: all changes, or none."""
    if add and call.user.is_guest:
        raise GuestRefused()
    request = await _subscribe_request(call, add or [], NewChannel(name=""))
    outcome, removal = await call.db.write(
        actions.channels.subscriptions.edit,
        call.user,
        request,
        Removal(delete or []),
        call.org.email_domain,
    )
    return EditedSubscriptions(
        **_outcome(outcome, request), removed=removal.removed, not_removed=removal.not_removed
    )


async def set_properties(
    call: Call,
    *,
    subscription_data: Annotated[
        list[ChosenProperty],
        MaxItems(domain.limits.MAX_SUBSCRIPTION_SETTINGS_PER_CALL),
        Doc(
            "The changes: each has a channel, a property and its value.",
            example=[{"stream_id": 7, "property": "is_muted", "value": True}],
        ),
    ],
) -> None:
    """Change personal settings of subscriptions: all changes, or none."""
    choices = [_choice(each) for each in subscription_data]
    await call.db.write(actions.channels.subscription_settings.change, call.user, choices)


async def set_property(
    call: Call,
    stream_id: ChannelId,
    *,
    property: SubscriptionSetting,
    value: Annotated[bool | str, BareOrJson, Doc("The new value.", example=True)],
) -> None:
    """Change one personal setting of one subscription."""
    try:
        chosen = ChosenProperty(stream_id, property, value)
    except ValueError as error:
        raise BadRequest(f"Invalid value: Value error, {error}", problem="bad-value") from None
    await call.db.write(actions.channels.subscription_settings.change, call.user, [_choice(chosen)])


async def _subscribe_request(
    call: Call, wanted: list[RequestedChannel], alike: NewChannel, **how: Any
) -> SubscribeRequest:
    channels = [
        replace(
            alike,
            name=each.name.strip(),
            description=one_line(each.description),
        )
        for each in wanted
    ]
    _check_limits(call, [each.name for each in channels], len(how.get("principals", ())))
    return SubscribeRequest(
        channels=channels,
        rendered_descriptions=[
            await actions.messages.draft.describe_channel(call.author, each.description)
            for each in channels
        ],
        web_public_allowed=may_open_channels(call),
        colors={
            domain.channels.topics.fold(each.name.strip()): each.color
            for each in wanted
            if each.color is not None
        },
        **how,
    )


def _check_limits(call: Call, names: list[str], principals: int) -> None:
    """Judge the size of a call by the directory, before a write waits for its turn."""
    actions.channels.subscriptions.check_size(len(names), principals)
    missing = [name for name in names if call.org.channel_named(name) is None]
    for name in missing:
        domain.names.check(name, "channel name")  # PostgreSQL takes no null byte in a query
    new = {domain.channels.topics.fold(name) for name in missing}
    actions.channels.subscriptions.check_new_channels(len(new))


async def subscribe_remaining(call: Call, request: SubscribeRequest, outcome: Outcome) -> None:
    """Subscribe the users whom the first write left, with other writes in between."""
    for user_ids in outcome.remaining:
        await call.db.write(
            actions.channels.subscriptions.subscribe_remaining,
            call.user,
            request,
            outcome,
            user_ids,
        )


def _outcome(outcome: Outcome, request: SubscribeRequest) -> dict[str, Any]:
    """The keys of a response about subscribing."""
    keys: dict[str, Any] = {
        "subscribed": {str(user): names for user, names in outcome.subscribed.items()},
        "already_subscribed": {
            str(user): names for user, names in outcome.already_subscribed.items()
        },
    }
    if request.notifies_subscribers:
        keys["new_subscription_messages_sent"] = outcome.notified_subscribers
    if not request.authorization_errors_fatal:
        keys["unauthorized"] = outcome.unauthorized
    return keys


def _choice(chosen: ChosenProperty) -> Choice:
    name, value = chosen.property, chosen.value
    if name == "color":
        return Choice(chosen.stream_id, name, value)
    if name not in SWITCHES:
        raise BadRequest(f"Unknown subscription property: {name}")
    if not isinstance(value, bool):
        raise BadRequest(f"{name} is not a boolean")
    if name == "in_home_view":
        # Compat: before feature level 139 a mute was set the other way round.
        return Choice(chosen.stream_id, "is_muted", not value)
    return Choice(chosen.stream_id, name, value)
