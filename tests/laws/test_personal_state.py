"""The law of personal state: a watcher that applied every event has the state that a newcomer
registers with.

Some requests are refused; a refused request must cause no event.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.client import Reply
from tests.support.model_personal_state import watch_own
from tests.support.people import Chat, Person
from tests.support.pictures import picture, uploads_to

from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import ChosenFrom, DailyHours, Whole

PICTURE = picture(size=(8, 8))
TOPICS = ["soup", "SOUP", "bread", ""]


@dataclass(frozen=True)
class Scene:
    chat: Chat
    people: list[Person]
    channel_ids: list[int]


Action = Callable[[Scene, Person], Reply]

user = st.integers(0, 2)
some_id = st.integers(1, 4)
channel = st.integers(0, 1)
topic = st.sampled_from(TOPICS)


@st.composite
def caring_for_topics(draw: st.DrawFn) -> Action:
    where, named, policy = draw(channel), draw(topic), draw(st.integers(0, 3))
    return lambda scene, actor: actor.post(
        "/user_topics",
        stream_id=scene.channel_ids[where],
        topic=named,
        visibility_policy=policy,
    )


@st.composite
def muting_as_of_old(draw: st.DrawFn) -> Action:
    where, named, op = draw(channel), draw(topic), draw(st.sampled_from(["add", "remove"]))
    return lambda scene, actor: actor.patch(
        "/users/me/subscriptions/muted_topics",
        stream_id=scene.channel_ids[where],
        topic=named,
        op=op,
    )


@st.composite
def speaking(draw: st.DrawFn) -> Action:
    named, whom, words = draw(topic), draw(user), draw(st.sampled_from(["tea", "coffee"]))
    directly = draw(st.booleans())
    return lambda scene, actor: actor.tries_to_say(
        words, [scene.people[whom]] if directly else f"kitchen > {named or 'general chat'}"
    )


@st.composite
def stating(draw: st.DrawFn) -> Action:
    text = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "status_text": st.sampled_from(["", "x", " y "]),
                "emoji_name": st.sampled_from(["", "tada", "cat", "no_such_emoji"]),
                "away": st.booleans(),
                "ends_at": st.sampled_from([0, 1, 4_000_000_000, 4_000_000_001]),
            },
        )
    )
    return lambda scene, actor: actor.post("/users/me/status", **text)


@st.composite
def drafting(draw: st.DrawFn) -> Action:
    number, where = draw(some_id), draw(channel)
    op = draw(st.sampled_from(["add", "add", "edit", "delete"]))
    type_, at = draw(st.sampled_from(["", "stream", "private"])), draw(st.integers(-1, 3))

    def do(scene: Scene, actor: Person) -> Reply:
        to = {"": [], "stream": [scene.channel_ids[where]], "private": [scene.people[0].id]}[type_]
        words = {"type": type_, "to": to, "topic": "t", "content": "c", "timestamp": at}
        ids = [each["id"] for each in actor.get("/drafts").json.get("drafts", [])]
        path = f"/drafts/{ids[number % len(ids)] if ids else 987_654}"
        if op == "add":
            return actor.post("/drafts", drafts=[words] * number)
        return actor.delete(path) if op == "delete" else actor.patch(path, draft=words)

    return do


@st.composite
def saving_snippets(draw: st.DrawFn) -> Action:
    number, op = draw(some_id), draw(st.sampled_from(["add", "add", "edit", "delete"]))

    def do(scene: Scene, actor: Person) -> Reply:
        found = actor.get("/saved_snippets").succeeds()["saved_snippets"]
        ids = [each["id"] for each in found]
        path = f"/saved_snippets/{ids[number % len(ids)] if ids else 987_654}"
        if op == "add":
            return actor.post("/saved_snippets", title=f"t{number}", content="c")
        return actor.delete(path) if op == "delete" else actor.patch(path, title="another")

    return do


@st.composite
def carrying_phones(draw: st.DrawFn) -> Action:
    number, op = draw(some_id), draw(st.sampled_from(["add", "remove"]))

    def do(scene: Scene, actor: Person) -> Reply:
        known = sorted(actor.registers(fetch_event_types=["device"])["devices"])
        which = int(known[number % len(known)]) if known else 987_654
        if op == "add":
            return actor.post("/register_client_device")
        return actor.post("/remove_client_device", device_id=which)

    return do


@st.composite
def arranging_views(draw: st.DrawFn) -> Action:
    fragment = draw(st.sampled_from(["inbox", "narrow/is/alerted", "narrow/x"]))
    op, is_pinned = draw(st.sampled_from(["add", "edit", "remove"])), draw(st.booleans())

    def do(scene: Scene, actor: Person) -> Reply:
        name = None if fragment == "inbox" else f"my {fragment}"
        params = {"is_pinned": is_pinned} | ({} if name is None else {"name": name})
        if op == "add":
            return actor.post("/navigation_views", fragment=fragment, **params)
        path = f"/navigation_views/{fragment}"
        return actor.delete(path) if op == "remove" else actor.patch(path, is_pinned=is_pinned)

    return do


@st.composite
def leaving_for_later(draw: st.DrawFn) -> Action:
    """Scheduled messages and reminders, in an hour or two."""
    number, at = draw(some_id), int(time.time()) + 3600 * draw(st.integers(0, 2))
    op = draw(st.sampled_from(["schedule", "schedule", "change", "cancel", "remind", "forget"]))

    def do(scene: Scene, actor: Person) -> Reply:
        if op in ("remind", "forget"):
            found = actor.get("/reminders").succeeds()["reminders"]
            ids = [each["reminder_id"] for each in found] or [987_654]
            note = actor.says("milk", to=[actor]).id
            if op == "remind":
                params = {"message_id": note, "scheduled_delivery_timestamp": at}
                return actor.post("/reminders", **params)
            return actor.delete(f"/reminders/{ids[number % len(ids)]}")
        found = actor.get("/scheduled_messages").succeeds()["scheduled_messages"]
        ids = [each["scheduled_message_id"] for each in found] or [987_654]
        path = f"/scheduled_messages/{ids[number % len(ids)]}"
        if op == "schedule":
            words = {"type": "channel", "to": scene.channel_ids[0], "topic": "t", "content": "c"}
            return actor.post("/scheduled_messages", scheduled_delivery_timestamp=at, **words)
        return actor.delete(path) if op == "cancel" else actor.patch(path, content=f"{number}")

    return do


@st.composite
def listing_words(draw: st.DrawFn) -> Action:
    method = draw(st.sampled_from(["POST", "DELETE"]))
    words = draw(st.lists(st.sampled_from(["tea", "TEA", " milk ", ""]), max_size=3))
    return lambda scene, actor: actor.request(method, "/users/me/alert_words", alert_words=words)


@st.composite
def muting_people(draw: st.DrawFn) -> Action:
    method, whom = draw(st.sampled_from(["POST", "DELETE"])), draw(user)
    return lambda scene, actor: actor.request(
        method, f"/users/me/muted_users/{scene.people[whom].id}"
    )


def values_of(name: str) -> list[Any]:
    setting = PREFERENCES[name]
    if isinstance(setting.kind, ChosenFrom):
        return [*setting.kind.values[:5], "nonsense"]
    if isinstance(setting.kind, DailyHours):
        return ["", "22:00-07:00", "12:00-13:30", "24:00-07:00"]
    return [setting.default, 50, 10_000_000] if isinstance(setting.kind, Whole) else [True, False]


@st.composite
def settling(draw: st.DrawFn) -> Action:
    names = draw(st.lists(st.sampled_from(sorted(PREFERENCES)), max_size=4, unique=True))
    wanted = {name: draw(st.sampled_from(values_of(name))) for name in names}
    path = draw(st.sampled_from(["/settings", "/realm/user_settings_defaults"]))
    return lambda scene, actor: actor.patch(path, **wanted)


@st.composite
def changing_oneself(draw: st.DrawFn) -> Action:
    wanted: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"full_name": "Somebody Else"},
                {"timezone": "Europe/Berlin"},
                {"timezone": "Asia/Tokyo", "full_name": "bad`name"},
                {"email_address_visibility": 1},
                {"email_address_visibility": 2},
                {"email_address_visibility": 4},
                {"presence_enabled": False},
                {"presence_enabled": True},
            ]
        )
    )
    return lambda scene, actor: actor.patch("/settings", **wanted)


@st.composite
def keeping_bots(draw: st.DrawFn) -> Action:
    number, whom = draw(some_id), draw(user)
    op = draw(st.sampled_from(["make", "make", "edit", "give", "end", "rename a channel"]))
    location = draw(st.sampled_from(["", "kitchen", "garden", "Garden", "nowhere"]))

    def do(scene: Scene, actor: Person) -> Reply:
        if op == "make":
            about = {"bot_type": number, "default_sending_stream": location}
            return actor.post("/bots", full_name=f"B{number}", short_name=f"b{number}", **about)
        if op == "rename a channel":
            return scene.people[0].patch(f"/streams/{scene.channel_ids[1]}", new_name=location)
        users = scene.people[0].get("/users").succeeds()["members"]
        bots = [each["user_id"] for each in users if each["is_bot"]]
        bot = f"/bots/{bots[number % len(bots)] if bots else 987_654}"
        if op == "edit":
            hook = {"service_payload_url": "http://x.example"} if number == 1 else {}
            return actor.patch(
                bot,
                full_name=f"B{whom}",
                default_events_register_stream=location,
                default_all_public_streams=bool(number % 2),
                **hook,
            )
        if op == "give":
            return actor.patch(bot, bot_owner_id=scene.people[whom].id)
        return actor.delete(bot)

    return do


@st.composite
def asking(draw: st.DrawFn) -> Action:
    """Changes of profile fields; most users may not make them."""
    number, op = draw(some_id), draw(st.sampled_from(["add", "add", "edit", "order", "delete"]))
    kind, keys = draw(st.sampled_from([1, 3])), draw(st.sets(st.sampled_from("ab"), min_size=1))
    choices = {key: {"text": key, "order": "1"} for key in keys}

    def do(scene: Scene, actor: Person) -> Reply:
        ids = _fields(actor)
        path = f"/realm/profile_fields/{ids[number % len(ids)] if ids else 987_654}"
        if op == "add":
            words = {"name": f"field {number}", "field_type": kind, "field_data": choices}
            return actor.post("/realm/profile_fields", **words)
        if op == "order":
            return actor.patch("/realm/profile_fields", order=ids[number:] + ids[:number])
        if op == "delete":
            return actor.delete(path)
        return actor.patch(path, hint=f"hint {number}", field_data=choices)

    return do


@st.composite
def filling_in(draw: st.DrawFn) -> Action:
    number = draw(some_id)
    values = draw(st.lists(st.sampled_from(["a", "b", "*c*", "", None]), min_size=1, max_size=2))

    def do(scene: Scene, actor: Person) -> Reply:
        ids = _fields(actor) or [987_654]
        data = [{"id": ids[number % len(ids)], "value": value} for value in values]
        return actor.patch("/users/me/profile_data", data=data)

    return do


def _fields(person: Person) -> list[int]:
    found = person.get("/realm/profile_fields").succeeds()["custom_fields"]
    return [each["id"] for each in found]


@st.composite
def showing_oneself(draw: st.DrawFn) -> Action:
    is_upload, source = draw(st.booleans()), draw(st.sampled_from(["J", "G"]))

    def do(scene: Scene, actor: Person) -> Reply:
        scene.chat.set("default_avatar_source", source)
        if is_upload:
            return uploads_to(actor, "/users/me/avatar", PICTURE)
        return actor.delete("/users/me/avatar")

    return do


actions = st.one_of(
    keeping_bots(),
    keeping_bots(),
    caring_for_topics(),
    muting_as_of_old(),
    speaking(),
    speaking(),
    stating(),
    drafting(),
    saving_snippets(),
    arranging_views(),
    carrying_phones(),
    leaving_for_later(),
    leaving_for_later(),
    listing_words(),
    muting_people(),
    settling(),
    changing_oneself(),
    asking(),
    asking(),
    filling_in(),
    filling_in(),
    showing_oneself(),
)


@settings(max_examples=8)
@given(done=st.lists(st.tuples(user, actions), min_size=3, max_size=16))
def test_a_watcher_has_the_state_of_a_newcomer(done: list[tuple[int, Action]], chat: Chat) -> None:
    chat = Chat.found(chat.server)
    ana = chat.person("ana", role="owner", channels=["kitchen"])
    people = [ana, *chat.people("ben", "cleo", channels=["kitchen", "garden"])]
    channel_ids = [chat.channel(name).id for name in ("kitchen", "garden")]
    watchers = [watch_own(person) for person in people]

    for actor, action in done:
        action(Scene(chat, people, channel_ids), people[actor])

    for person, watcher in zip(people, watchers, strict=True):
        assert watcher.sees() == watch_own(person).sees(), person.name
