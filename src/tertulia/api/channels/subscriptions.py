"""Subscriptions: listing, subscribing, unsubscribing, and personal settings of each."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import actions, api, domain, events, storage
from tertulia.actions.channels.subscription_settings import Choice
from tertulia.actions.channels.subscriptions import Outcome, Removal, SubscribeRequest
from tertulia.api.call import Call
from tertulia.api.channels.parameters import Description, new_channel, one_line
from tertulia.domain.channels.channel import NewChannel
from tertulia.errors import BadRequest
from tertulia.errors.authentication import GuestRefused
from tertulia.events.types.channels.subscriptions import SubscriptionObject
from tertulia.http.json_validation import JSON_KINDS
from tertulia.http.parameter_rules import BareOrJson, Id, MaxItems, Problem, Rule
from tertulia.http.replies import Encoded, Reply
from tertulia.http.signatures import parameters_from

Principals = Annotated[list[Id] | list[str], MaxItems(10_000)]
IncludeSubscribers = Literal["true", "false", "partial"]

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
    subscriptions: list[SubscriptionObject]


class Subscribed(Reply, kw_only=True):
    subscribed: dict[str, list[str]]
    already_subscribed: dict[str, list[str]]
    new_subscription_messages_sent: bool | UnsetType = UNSET
    unauthorized: list[str] | UnsetType = UNSET


class Unsubscribed(Reply):
    removed: list[str]
    not_removed: list[str]


class EditedSubscriptions(Subscribed, kw_only=True):
    removed: list[str]
    not_removed: list[str]


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
    subscriptions: Annotated[list[RequestedChannel], MaxItems(1000)],
    principals: Principals | None = None,
    authorization_errors_fatal: bool = True,
    announce: bool = False,
    send_new_subscription_messages: bool = True,
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
    return Subscribed(**_outcome(outcome, request))


async def unsubscribe(
    call: Call,
    *,
    subscriptions: Annotated[list[str], MaxItems(1000)],
    principals: Principals | None = None,
) -> Unsubscribed:
    """Unsubscribe the caller or others from channels."""
    removal = Removal(subscriptions, principals or [])
    removed, not_removed = await call.db.write(
        actions.channels.subscriptions.unsubscribe, call.user, removal, call.org.email_domain
    )
    return Unsubscribed(removed=removed, not_removed=not_removed)


async def edit(
    call: Call,
    *,
    add: Annotated[list[RequestedChannel], MaxItems(1000)] | None = None,
    delete: Annotated[list[str], MaxItems(1000)] | None = None,
) -> EditedSubscriptions:
    """Subscribe to and unsubscribe from channels: all changes, or none."""
    if add and call.user.is_guest:
        raise GuestRefused()
    request = await _subscribe_request(call, add or [], NewChannel(name=""))
    outcome, (removed, not_removed) = await call.db.write(
        actions.channels.subscriptions.edit,
        call.user,
        request,
        Removal(delete or []),
        call.org.email_domain,
    )
    return EditedSubscriptions(
        **_outcome(outcome, request), removed=removed, not_removed=not_removed
    )


async def set_properties(
    call: Call, *, subscription_data: Annotated[list[ChosenProperty], MaxItems(10_000)]
) -> None:
    """Change personal settings of subscriptions: all changes, or none."""
    choices = [_choice(each) for each in subscription_data]
    await call.db.write(actions.channels.subscription_settings.change, call.user, choices)


async def set_property(
    call: Call, stream_id: int, *, property: str, value: Annotated[bool | str, BareOrJson]
) -> None:
    """Change one personal setting of one subscription."""
    try:
        chosen = ChosenProperty(stream_id, property, value)
    except ValueError as error:
        raise BadRequest(f"Invalid value: Value error, {error}") from None
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
    return SubscribeRequest(
        channels=channels,
        rendered_descriptions=[
            await actions.messages.draft.describe_channel(call.author, each.description)
            for each in channels
        ],
        web_public_allowed=api.call.may_open_channels(call),
        colors={
            domain.channels.topics.fold(each.name.strip()): each.color
            for each in wanted
            if each.color is not None
        },
        **how,
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
