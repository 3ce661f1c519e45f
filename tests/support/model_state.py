"""The model of an organization's state: channels, users, groups and settings."""

from typing import Any

from tests.support.event_queue import Event
from tests.support.model_client import Picture, Registered, Subject, Watcher
from tests.support.model_personal_state import bots, realm_bot
from tests.support.people import Person

from tertulia.domain.organization.settings import SETTINGS

CAPABILITIES = {
    "notification_settings_null": True,
    "bulk_message_deletion": True,
    "archived_channels": True,
    "empty_topic_name": True,
    "include_deactivated_groups": True,
    "simplified_presence_events": True,
    "individual_emoji_changes": True,
    "user_list_incomplete": True,
    "linkifier_url_template": True,
}

SUBJECT = Subject()
part, handles = SUBJECT.part, SUBJECT.handles


def watch(person: Person, **capabilities: bool) -> Watcher:
    return Watcher(
        SUBJECT,
        person,
        include_subscribers="true",
        client_capabilities=CAPABILITIES | capabilities,
    )


# --- channels and subscriptions -------------------------------------------------------------------

PERSONAL = {
    "color",
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
}
# The number of subscribers is compared in their list: events report who joins and leaves.
APART = PERSONAL | {"subscribers", "subscriber_count"}


@part
def me(state: Registered) -> int:
    found: int = state["user_id"]
    return found


@part
def channels(state: Registered) -> dict[int, Any]:
    """Every visible channel, subscribed or not."""
    found = {each["stream_id"]: _channel(each) for each in _all_channels(state)}
    assert found == {each["stream_id"]: _channel(each) for each in state["streams"]}
    return found


@part
def subscriptions(state: Registered) -> dict[int, Any]:
    """The user's own settings of subscribed channels."""
    return {each["stream_id"]: _personal(each) for each in state["subscriptions"]}


@part
def subscribers(state: Registered) -> dict[int, set[int]]:
    found = {each["stream_id"]: set(each["subscribers"]) for each in _all_channels(state)}
    for each in _all_channels(state):
        unknown = each["subscriber_count"] - len(found[each["stream_id"]])
        assert unknown == 0 or (unknown > 0 and state["is_guest"]), each
    return found


@part
def default_channels(state: Registered) -> set[int]:
    return set(state["realm_default_streams"])


@handles("stream")
def stream(picture: Picture, event: Event) -> None:
    if event["op"] == "create":
        for each in event["streams"]:
            picture["channels"][each["stream_id"]] = _channel(each)
            picture["subscribers"].setdefault(each["stream_id"], set())
    elif event["op"] == "delete":
        for channel_id in event["stream_ids"]:
            del picture["channels"][channel_id]
            picture["subscriptions"].pop(channel_id, None)
            picture["subscribers"].pop(channel_id, None)
    else:
        known = picture["channels"][event["stream_id"]]
        known[event["property"]] = event["value"]
        for also in ("rendered_description", "history_public_to_subscribers", "is_web_public"):
            if also in event:
                known[also] = event[also]


@handles("subscription")
def subscription(picture: Picture, event: Event) -> None:
    op = event["op"]
    if op == "add":
        for each in event["subscriptions"]:
            assert each["stream_id"] in picture["channels"], "subscribed to a channel out of sight"
            picture["channels"][each["stream_id"]] = _channel(each)
            picture["subscriptions"][each["stream_id"]] = _personal(each)
            picture["subscribers"][each["stream_id"]] = set(each["subscribers"])
    elif op == "remove":
        for each in event["subscriptions"]:
            del picture["subscriptions"][each["stream_id"]]
            picture["subscribers"][each["stream_id"]].remove(picture["me"])
    elif op == "update":
        picture["subscriptions"][event["stream_id"]][event["property"]] = event["value"]
    else:
        assert picture["me"] not in event["user_ids"], "a peer event about the user itself"
        for channel_id in event["stream_ids"]:
            known = picture["subscribers"][channel_id]
            change = known.update if op == "peer_add" else known.difference_update
            change(event["user_ids"])


@handles("default_streams")
def default_streams(picture: Picture, event: Event) -> None:
    picture["default_channels"] = set(event["default_streams"])


@handles("message")
def message(picture: Picture, event: Event) -> None:
    """A subscriber sees the first message and needs no further event about it."""
    channel_id = event["message"].get("stream_id")
    if channel_id in picture["subscriptions"]:
        known = picture["channels"][channel_id]
        known["first_message_id"] = known["first_message_id"] or event["message"]["id"]


def _all_channels(state: Registered) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        *state["subscriptions"],
        *state["unsubscribed"],
        *state["never_subscribed"],
    ]
    return found


def _channel(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in APART}


def _personal(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: fields[key] for key in PERSONAL}


# --- channel folders ------------------------------------------------------------------------------


@part
def folders(state: Registered) -> dict[int, Any]:
    assert [each["order"] for each in state["channel_folders"]] == sorted(
        each["order"] for each in state["channel_folders"]
    )
    return {each["id"]: dict(each) for each in state["channel_folders"]}


@handles("channel_folder")
def channel_folder(picture: Picture, event: Event) -> None:
    if event["op"] == "add":
        folder = event["channel_folder"]
        picture["folders"][folder["id"]] = folder
    elif event["op"] == "update":
        picture["folders"][event["channel_folder_id"]].update(event["data"])
    else:
        for location, folder_id in enumerate(event["order"]):
            picture["folders"][folder_id]["order"] = location


# --- people ---------------------------------------------------------------------------------------


@part
def people(state: Registered) -> dict[int, Any]:
    """All users, and whether their accounts are active."""
    active = {each["user_id"]: each | {"is_active": True} for each in state["realm_users"]}
    ended = {
        each["user_id"]: each | {"is_active": False} for each in state["realm_non_active_users"]
    }
    return active | ended


@handles("realm_user")
def realm_user(picture: Picture, event: Event) -> None:
    received = dict(event["person"])
    known = picture["people"]
    if event["op"] == "add":
        known[received["user_id"]] = received
    elif event["op"] == "remove":
        del known[received["user_id"]]
        picture["statuses"].pop(str(received["user_id"]), None)
    else:
        person = known[received["user_id"]]
        if "new_email" in received:
            received["email"] = received.pop("new_email")
        if "role" in received:
            received["is_owner"], received["is_admin"] = (
                received["role"] == 100,
                received["role"] <= 200,
            )
            received["is_guest"] = received["role"] == 600
        person.update({name: value for name, value in received.items() if name in person})
        if received.get("is_active") is False:
            picture["statuses"].pop(str(received["user_id"]), None)
            for group in picture["groups"].values():
                group["members"].discard(received["user_id"])


@part
def statuses(state: Registered) -> dict[str, Any]:
    return dict(state["user_status"])


@handles("user_status")
def user_status(picture: Picture, event: Event) -> None:
    assert event["user_id"] in picture["people"], "the status of an unknown user"
    received = {name: value for name, value in event.items() if name not in ("type", "user_id")}
    known = picture["statuses"].pop(str(event["user_id"]), {}) | received
    if any(known.values()):
        picture["statuses"][str(event["user_id"])] = {k: v for k, v in known.items() if v}


part(bots)
handles("realm_bot")(realm_bot)


# --- user groups and the organization -------------------------------------------------------------


@part
def groups(state: Registered) -> dict[int, Any]:
    ids = [each["id"] for each in state["realm_user_groups"]]
    assert ids == sorted(ids)
    return {each["id"]: _group(each) for each in state["realm_user_groups"]}


@part
def organization(state: Registered) -> dict[str, Any]:
    """The settings that events report, without values that older clients derive from them."""
    names = [*SETTINGS, "mandatory_topics"]
    return {name: state[f"realm_{name}"] for name in names}


@handles("user_group")
def user_group(picture: Picture, event: Event) -> None:
    op = event["op"]
    if op == "add":
        picture["groups"][event["group"]["id"]] = _group(event["group"])
    elif op == "remove":
        del picture["groups"][event["group_id"]]
    elif event["group_id"] in picture["groups"]:  # or it is deactivated, and we see none of these
        group = picture["groups"][event["group_id"]]
        if op == "update":
            group.update(event["data"])
        elif op == "add_members":
            group["members"].update(event["user_ids"])
        elif op == "remove_members":
            group["members"].difference_update(event["user_ids"])
        elif op == "add_subgroups":
            group["direct_subgroup_ids"].update(event["direct_subgroup_ids"])
        else:
            group["direct_subgroup_ids"].difference_update(event["direct_subgroup_ids"])


@handles("realm")
def realm(picture: Picture, event: Event) -> None:
    changed = event["data"] if event["op"] == "update_dict" else {event["property"]: event["value"]}
    for name, value in changed.items():
        if name != "rendered_description":
            assert name in picture["organization"], name
            picture["organization"][name] = value


SUBJECT.replaced_list("realm_linkifiers")
SUBJECT.replaced_list("realm_playgrounds")
SUBJECT.updated_list("realm_domains", key="domain", removed="domain")


@part
def emoji(state: Registered) -> dict[str, Any]:
    return dict(state["realm_emoji"])


@handles("realm_emoji")
def realm_emoji(picture: Picture, event: Event) -> None:
    if event["op"] == "add":
        picture["emoji"][event["emoji"]["id"]] = event["emoji"]
    else:
        picture["emoji"][event["emoji_id"]].update(event["data"])


def _group(fields: dict[str, Any]) -> dict[str, Any]:
    sets = {name: set(fields[name]) for name in ("members", "direct_subgroup_ids")}
    return fields | sets
