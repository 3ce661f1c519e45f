"""The model of a user's own state, and of other users as far as these events change them."""

from typing import Any

from tests.support.event_queue import Event
from tests.support.model_client import Picture, Registered, Subject, Watcher
from tests.support.people import Person

CAPABILITIES = {"notification_settings_null": True, "empty_topic_name": True}

SUBJECT = Subject()
part, handles = SUBJECT.part, SUBJECT.handles


def watch_own(person: Person) -> Watcher:
    return Watcher(SUBJECT, person, client_capabilities=CAPABILITIES)


# --- devices ---

NO_PUSH = dict.fromkeys(
    (
        "push_key_id",
        "push_token_id",
        "pending_push_token_id",
        "push_token_last_updated_timestamp",
        "push_registration_error_code",
    )
)


@part
def devices(state: Registered) -> dict[int, Any]:
    return {int(number): found for number, found in state["devices"].items()}


@handles("device")
def device(picture: Picture, event: Event) -> None:
    if event["op"] == "remove":
        del picture["devices"][event["device_id"]]
        return
    received = {name: value for name, value in event.items() if name in NO_PUSH}
    before = picture["devices"].get(event["device_id"], NO_PUSH)
    picture["devices"][event["device_id"]] = before | received


# --- topics ---


@part
def user_topics(state: Registered) -> dict[tuple[int, str], Any]:
    return {_topic_key(each): each for each in state["user_topics"]}


@part
def muted_topics(state: Registered) -> list[list[Any]]:
    """The older form; it must agree with the newer one."""
    muted = [each for each in state["user_topics"] if each["visibility_policy"] == 1]
    assert [each[1:] for each in state["muted_topics"]] == [
        [each["topic_name"], each["last_updated"]] for each in muted
    ]
    return sorted(state["muted_topics"])


@handles("user_topic")
def user_topic(picture: Picture, event: Event) -> None:
    received = {name: value for name, value in event.items() if name != "type"}
    picture["user_topics"].pop(_topic_key(received), None)
    if received["visibility_policy"]:
        picture["user_topics"][_topic_key(received)] = received


@handles("muted_topics")
def muted_topics_changed(picture: Picture, event: Event) -> None:
    picture["muted_topics"] = sorted(event["muted_topics"])


@handles("stream")
def stream(picture: Picture, event: Event) -> None:
    """The older form uses channel names, so it is read again when a channel is renamed."""
    if event["op"] == "update" and event["property"] == "name":
        picture["muted_topics"] = sorted(
            [event["value"] if name == event["name"] else name, *rest]
            for name, *rest in picture["muted_topics"]
        )


def _topic_key(fields: dict[str, Any]) -> tuple[int, str]:
    return fields["stream_id"], fields["topic_name"].lower()


# --- personal lists ---

SUBJECT.replaced_list("alert_words")
SUBJECT.replaced_list("muted_users")
SUBJECT.updated_list("drafts", removed="draft_id")
SUBJECT.updated_list("saved_snippets", removed="saved_snippet_id")
SUBJECT.updated_list(
    "scheduled_messages", key="scheduled_message_id", removed="scheduled_message_id"
)


@part
def navigation_views(state: Registered) -> dict[str, Any]:
    return {each["fragment"]: each for each in state["navigation_views"]}


@handles("navigation_view")
def navigation_view(picture: Picture, event: Event) -> None:
    views = picture["navigation_views"]
    if event["op"] == "add":
        views[event["navigation_view"]["fragment"]] = event["navigation_view"]
    elif event["op"] == "remove":
        del views[event["fragment"]]
    else:
        views[event["fragment"]] = views[event["fragment"]] | event["data"]


SUBJECT.updated_list("reminders", key="reminder_id", removed="reminder_id")


# --- personal settings and defaults for new users ---


@part
def user_settings(state: Registered) -> dict[str, Any]:
    return dict(state["user_settings"])


@handles("user_settings")
def user_settings_changed(picture: Picture, event: Event) -> None:
    assert picture["user_settings"][event["property"]] != event["value"], (
        "an event without a change"
    )
    picture["user_settings"][event["property"]] = event["value"]


@part
def newcomer_settings(state: Registered) -> dict[str, Any]:
    return dict(state["realm_user_settings_defaults"])


@handles("realm_user_settings_defaults")
def default_settings_changed(picture: Picture, event: Event) -> None:
    picture["newcomer_settings"][event["property"]] = event["value"]


# --- other users ---

KNOWN = (
    "full_name",
    "email",
    "delivery_email",
    "timezone",
    "avatar_url",
    "avatar_version",
    "bot_owner_id",
    "is_active",
)


@part
def people(state: Registered) -> dict[int, Any]:
    gone = [each | {"is_active": False} for each in state["realm_non_active_users"]]
    here = [each | {"is_active": True} for each in state["realm_users"]]
    return {each["user_id"]: _known(each) for each in here + gone}


@part
def profiles(state: Registered) -> dict[tuple[int, int], Any]:
    """Profile field values, by user and field."""
    return {
        (each["user_id"], int(field_id)): value
        for each in state["realm_users"] + state["realm_non_active_users"]
        for field_id, value in each.get("profile_data", {}).items()
    }


@part
def profile_fields(state: Registered) -> list[Any]:
    return list(state["custom_profile_fields"])


@part
def my_picture(state: Registered) -> dict[str, Any]:
    """Separate from those of others: the address is present even where clients could compute it."""
    named = ("user_id", "avatar_source", "avatar_url", "avatar_url_medium")
    return {name: state[name] for name in named}


@handles("realm_user")
def realm_user(picture: Picture, event: Event) -> None:
    received = dict(event["person"])
    if event["op"] == "add":
        picture["people"][received["user_id"]] = _known(received)
        return
    assert event["op"] == "update"
    known = picture["people"][received["user_id"]]
    if "new_email" in received:
        known["email"] = received["new_email"]
    known.update(_known(received))
    if received["user_id"] == picture["my_picture"]["user_id"] and "avatar_url" in received:
        picture["my_picture"] |= {name: received[name] for name in picture["my_picture"]}
    filled_in = received.get("custom_profile_field")
    if filled_in is not None:
        number = filled_in.pop("id")
        known_before = picture["profiles"].pop((received["user_id"], number), None)
        assert known_before != filled_in, "an event without a change"
        if filled_in["value"] is not None:
            picture["profiles"][received["user_id"], number] = filled_in


@handles("custom_profile_fields")
def profile_fields_changed(picture: Picture, event: Event) -> None:
    """Values of a deleted field are deleted with it."""
    picture["profile_fields"] = event["fields"]
    requested = {field["id"] for field in event["fields"]}
    kept = {key: value for key, value in picture["profiles"].items() if key[1] in requested}
    picture["profiles"] = kept


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    """A client that knows gravatar computes the address itself."""
    found = {name: value for name, value in fields.items() if name in KNOWN}
    if (found.get("avatar_url") or "").startswith("https://secure.gravatar.com/"):
        found["avatar_url"] = None
    return found


@part
def bots(state: Registered) -> dict[int, Any]:
    return {each["user_id"]: each for each in state["realm_bots"]}


@handles("realm_bot")
def realm_bot(picture: Picture, event: Event) -> None:
    bot = event["bot"]
    if event["op"] == "delete":
        del picture["bots"][bot["user_id"]]
    elif event["op"] == "add":
        assert bot["user_id"] not in picture["bots"], "an event adds a bot that is known already"
        picture["bots"][bot["user_id"]] = bot
    else:
        picture["bots"][bot["user_id"]].update(bot)


@part
def statuses(state: Registered) -> dict[str, Any]:
    return {user_id: dict(status) for user_id, status in state["user_status"].items()}


@handles("user_status")
def user_status(picture: Picture, event: Event) -> None:
    received = {name: value for name, value in event.items() if name not in ("type", "user_id")}
    known = picture["statuses"].pop(str(event["user_id"]), {}) | received
    if not known.get("emoji_name"):
        known = {name: known[name] for name in known.keys() & {"away", "status_text", "ends_at"}}
    text = {name: value for name, value in known.items() if value}
    if text:
        picture["statuses"][str(event["user_id"])] = text


# --- unread messages ---


@part
def unread(state: Registered) -> set[int]:
    found = state["unread_msgs"]
    conversations = found["pms"] + found["streams"] + found["huddles"]
    return {number for location in conversations for number in location["unread_message_ids"]}


@handles("message")
def message(picture: Picture, event: Event) -> None:
    if "read" not in event["flags"]:
        picture["unread"].add(event["message"]["id"])


@handles("update_message_flags")
def update_message_flags(picture: Picture, event: Event) -> None:
    if (event["op"], event["flag"]) == ("add", "read"):
        assert set(event["messages"]) <= picture["unread"], "read what was read already"
        picture["unread"].difference_update(event["messages"])
