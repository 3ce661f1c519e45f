"""The law of events: a watcher that applied every event has the state that a newcomer registers
with.

Users change channels, groups and the organization at random. Some requests are refused; a refused
request must cause no event. A client that polls only at the end, from the log, must have the same
state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.client import Reply
from tests.support.model_state import watch
from tests.support.people import Chat, Person
from tests.support.pictures import picture, uploads
from tests.support.server import Server

from tertulia import actions
from tertulia.domain.people.identities import (
    AdmissionPolicy,
    ExternalProfile,
    Identity,
    ProfileUpdate,
)
from tertulia.domain.people.user import Role

ROLES = ["owner", "admin", "member", "member", "guest"]  # of the watchers
OTHERS = ["member", "guest"]
CHANNELS = ["kitchen", "garden", "cellar"]
FOLDERS = ["House", "Work"]
DOT = picture(size=(8, 8))
GROUPS = ["bakers", "cooks", "waiters"]
GROUP_PERMISSIONS = ["can_manage_group", "can_join_group", "can_mention_group"]
SETTINGS: list[dict[str, Any]] = [
    {"name": "Harbour Works"},
    {"description": "By *the* sea"},
    {"topics_policy": "disable_empty_topic"},
    {"allow_message_editing": False, "message_content_edit_limit_seconds": 900},
    {"message_edit_history_visibility_policy": "moves"},
    {"message_retention_days": 30},
    {"waiting_period_threshold": 2},
    {"waiting_period_threshold": 0},
    {"jitsi_server_url": "https://meet.example.com"},
    {"jitsi_server_url": "default"},
]
REALM_PERMISSIONS = ["can_create_groups", "can_mention_many_users_group", "can_manage_all_groups"]
PROPERTIES: dict[str, list[Any]] = {
    "color": ["#ABC", "#f00000"],
    "is_muted": [True, False],
    "in_home_view": [True, False],
    "pin_to_top": [True],
    "push_notifications": [False],
}
PERMISSIONS = [
    "can_subscribe_group",
    "can_add_subscribers_group",
    "can_administer_channel_group",
    "can_remove_subscribers_group",
    "can_send_message_group",
]


@dataclass(frozen=True)
class Scene:
    chat: Chat
    people: list[Person]

    def channel(self, number: int) -> int:
        found = self.people[0].get("/streams", include_all=True, exclude_archived=False)
        listed = found.succeeds()["streams"]
        by_name: dict[str, int] = {each["name"].lower(): each["stream_id"] for each in listed}
        return by_name.get(CHANNELS[number], 0)

    def folder(self, number: int) -> int:
        found = self.people[0].get("/channel_folders", include_archived=True).succeeds()
        by_name: dict[str, int] = {each["name"]: each["id"] for each in found["channel_folders"]}
        return by_name.get(FOLDERS[number], 0)

    def group(self, number: int) -> int:
        found = self.people[0].get("/user_groups", include_deactivated_groups=True).succeeds()
        by_name: dict[str, int] = {
            each["name"].lower(): each["id"] for each in found["user_groups"]
        }
        return by_name.get(GROUPS[number], 0)

    def value(self, number: int) -> Any:
        """Whom a permission may name: one user, a group, some users and a group, or no one."""
        group = self.group(number % len(GROUPS))
        if number < len(self.people):
            return {"direct_members": [self.people[number].id], "direct_subgroups": []}
        if number < VALUES - 4:
            return group
        names = ["members", "nobody", "administrators", "fullmembers"]
        return self.chat.group(names[number % len(names)])


VALUES = len(ROLES) + len(OTHERS) + len(GROUPS) + 4

Step = Callable[[Scene, Person], Reply]

number = st.integers(0, 2)
user_index = st.integers(0, len(ROLES) + len(OTHERS) - 1)
values = st.integers(0, VALUES - 1)


@st.composite
def creating(draw: st.DrawFn) -> Step:
    names = draw(st.lists(st.sampled_from(CHANNELS), min_size=1, max_size=2, unique=True))
    others = draw(st.lists(user_index, max_size=2, unique=True))
    options: dict[str, Any] = draw(
        st.sampled_from(
            [
                {},
                {"invite_only": True},
                {"invite_only": True, "history_public_to_subscribers": True},
                {"is_web_public": True},
                {"is_default_stream": True},
                {"announce": True, "default_push_notifications": True},
            ]
        )
    )
    return lambda scene, actor: actor.post(
        "/users/me/subscriptions",
        subscriptions=[{"name": name, "description": f"The {name}"} for name in names],
        principals=[scene.people[other].id for other in others],
        **options,
    )


@st.composite
def leaving(draw: st.DrawFn) -> Step:
    names = draw(st.lists(st.sampled_from(CHANNELS), min_size=1, max_size=2, unique=True))
    others = draw(st.lists(user_index, max_size=2, unique=True))
    return lambda scene, actor: actor.delete(
        "/users/me/subscriptions",
        subscriptions=names,
        principals=[scene.people[other].id for other in others],
    )


@st.composite
def editing(draw: st.DrawFn) -> Step:
    which = draw(number)
    change: dict[str, Any] = draw(
        st.sampled_from(
            [
                {"new_name": CHANNELS[which].upper()},
                {"description": "Another *description*"},
                {"is_private": True},
                {"is_private": True, "history_public_to_subscribers": True},
                {"is_private": False},
                {"is_web_public": True},
                {"is_web_public": False, "is_private": True},
                {"is_default_stream": True},
                {"is_default_stream": False},
                {"is_archived": False},
                {"message_retention_days": 30},
                {"topics_policy": "disable_empty_topic"},
                {"default_push_notifications": True, "description": "Two at once"},
            ]
        )
    )
    return lambda scene, actor: actor.patch(f"/streams/{scene.channel(which)}", **change)


@st.composite
def permitting(draw: st.DrawFn) -> Step:
    which, permission = draw(number), draw(st.sampled_from(PERMISSIONS))
    whom = draw(values)
    return lambda scene, actor: actor.patch(
        f"/streams/{scene.channel(which)}", **{permission: {"new": scene.value(whom)}}
    )


@st.composite
def archiving(draw: st.DrawFn) -> Step:
    which = draw(number)
    return lambda scene, actor: actor.delete(f"/streams/{scene.channel(which)}")


@st.composite
def choosing(draw: st.DrawFn) -> Step:
    which, name = draw(number), draw(st.sampled_from(sorted(PROPERTIES)))
    value = draw(st.sampled_from(PROPERTIES[name]))

    def do(scene: Scene, actor: Person) -> Reply:
        chosen = {"stream_id": scene.channel(which), "property": name, "value": value}
        return actor.post("/users/me/subscriptions/properties", subscription_data=[chosen])

    return do


@st.composite
def filing(draw: st.DrawFn) -> Step:
    which, folder = draw(number), draw(st.integers(0, 1))
    kind = draw(st.sampled_from(["create", "rename", "archive", "put", "take", "reorder"]))

    def do(scene: Scene, actor: Person) -> Reply:
        path = f"/channel_folders/{scene.folder(folder)}"
        if kind == "create":
            return actor.post("/channel_folders/create", name=FOLDERS[folder], description="")
        if kind == "rename":
            return actor.patch(path, description="Renewed")
        if kind == "archive":
            return actor.patch(path, is_archived=True)
        if kind == "reorder":
            return actor.patch("/channel_folders", order=[scene.folder(1), scene.folder(0)])
        wanted = scene.folder(folder) if kind == "put" else "null"
        return actor.patch(f"/streams/{scene.channel(which)}", folder_id=wanted)

    return do


@st.composite
def gathering(draw: st.DrawFn) -> Step:
    which, other, whom = draw(number), draw(number), draw(user_index)
    permission, value = draw(st.sampled_from(GROUP_PERMISSIONS)), draw(values)
    kind = draw(st.sampled_from(["create", "edit", "permit", "end", "renew"]))

    def do(scene: Scene, actor: Person) -> Reply:
        path = f"/user_groups/{scene.group(which)}"
        if kind == "create":
            return actor.post(
                "/user_groups/create",
                name=GROUPS[which],
                description="",
                members=[scene.people[whom].id],
                subgroups=[scene.group(other)] if whom % 2 else [],
            )
        if kind == "edit":
            return actor.patch(path, name=GROUPS[which].upper(), description="Others")
        if kind == "permit":
            return actor.patch(path, **{permission: {"new": scene.value(value)}})
        if kind == "end":
            return actor.post(f"{path}/deactivate")
        return actor.patch(path, deactivated=False, name=GROUPS[which])

    return do


@st.composite
def coming_and_going(draw: st.DrawFn) -> Step:
    which, inner = draw(number), draw(number)
    people = draw(st.lists(user_index, max_size=2, unique=True))
    kind = draw(st.sampled_from(["add", "delete"]))
    nested = draw(st.booleans())

    def do(scene: Scene, actor: Person) -> Reply:
        params = {kind: [scene.people[each].id for each in people]}
        if nested:
            params[f"{kind}_subgroups"] = [scene.group(inner)]
        return actor.post(f"/user_groups/{scene.group(which)}/members", **params)

    return do


@st.composite
def governing(draw: st.DrawFn) -> Step:
    plain, permission = draw(st.sampled_from(SETTINGS)), draw(st.sampled_from(REALM_PERMISSIONS))
    value = draw(st.none() | values)

    def do(scene: Scene, actor: Person) -> Reply:
        change = plain if value is None else {permission: {"new": scene.value(value)}}
        return actor.patch("/realm", **change)

    return do


@st.composite
def listing(draw: st.DrawFn) -> Step:
    """Things of the organization: domains, playgrounds, linkifiers, emoji."""
    which, is_new = draw(number), draw(st.booleans())
    kind = draw(st.sampled_from(["domain", "playground", "linkifier", "order", "emoji"]))

    def do(scene: Scene, actor: Person) -> Reply:
        name, rules = (
            CHANNELS[which],
            scene.people[0].get("/realm/linkifiers").succeeds()["linkifiers"],
        )
        ids = [each["id"] for each in rules]
        if kind == "domain":
            if is_new:
                params = {"domain": f"{name}.example.com", "allow_subdomains": False}
                return actor.post("/realm/domains", **params)
            path = f"/realm/domains/{name}.example.com"
            return actor.patch(path, allow_subdomains=True) if which else actor.delete(path)
        if kind == "playground":
            if is_new:
                url = "https://example.com/{code}"
                params = {"name": name, "pygments_language": "Python", "url_template": url}
                return actor.post("/realm/playgrounds", **params)
            known = actor.registers(fetch_event_types=["realm_playgrounds"])["realm_playgrounds"]
            found = next((each["id"] for each in known if each["name"] == name), 0)
            return actor.delete(f"/realm/playgrounds/{found}")
        if kind == "linkifier":
            rule = {"pattern": name, "url_template": "https://example.com"}
            if is_new:
                return actor.post("/realm/filters", **rule)
            path = f"/realm/filters/{ids[which % len(ids)] if ids else 0}"
            return actor.patch(path, **rule) if which else actor.delete(path)
        if kind == "order":
            return actor.patch("/realm/linkifiers", ordered_linkifier_ids=ids[::-1])
        return uploads(actor, name, DOT) if is_new else actor.delete(f"/realm/emoji/{name}")

    return do


@st.composite
def handling_accounts(draw: st.DrawFn) -> Step:
    """Users get other roles and names; users without a watcher come and go."""
    whom, role = draw(user_index), draw(st.sampled_from([100, 200, 300, 400, 600]))
    kind = draw(
        st.sampled_from(["create", "role", "role", "rename", "move", "end", "end", "reopen"])
    )

    def do(scene: Scene, actor: Person) -> Reply:
        fleeting = scene.people[len(ROLES) + whom % len(OTHERS)]
        if kind == "create":
            email = f"{len(scene.people[0].get('/users').succeeds()['members'])}@example.com"
            return actor.post("/users", email=email, password="open sesame", full_name="New")
        if kind == "role":
            return actor.patch(f"/users/{scene.people[whom].id}", role=role)
        if kind == "rename":
            return actor.patch(f"/users/{scene.people[whom].id}", full_name=f"Number {role}")
        if kind == "move":
            return actor.patch(f"/users/{fleeting.id}", new_email=f"{role}.{whom}@example.com")
        if kind == "end":
            return actor.delete(f"/users/{fleeting.id}")
        return actor.post(f"/users/{fleeting.id}/reactivate")

    return do


@st.composite
def keeping_bots(draw: st.DrawFn) -> Step:
    """Bots are created, get other roles, owners and names, and end; their owner decides who
    receives the events."""
    which, whom = draw(number), draw(user_index)
    kind = draw(st.sampled_from(["make", "make", "give", "role", "end"]))

    def do(scene: Scene, actor: Person) -> Reply:
        name = f"b{which}"
        if kind == "make":
            return actor.post("/bots", full_name=name, short_name=name, bot_type=which + 1)
        found = scene.people[0].get("/users").succeeds()["members"]
        bot = next((each["user_id"] for each in found if each["full_name"] == name), 0)
        if kind == "give":
            return actor.patch(f"/bots/{bot}", bot_owner_id=scene.people[whom].id)
        if kind == "role":
            return actor.patch(f"/bots/{bot}", role=[100, 200, 600][which])
        return actor.delete(f"/bots/{bot}")

    return do


@st.composite
def meeting(draw: st.DrawFn) -> Step:
    """Guests may see all users or only those they have met; users talk and set statuses."""
    whom, text = draw(user_index), draw(st.sampled_from(["", "Cooking"]))
    kind = draw(st.sampled_from(["open", "close", "close", "talk", "talk", "state"]))

    def do(scene: Scene, actor: Person) -> Reply:
        if kind == "talk":
            return actor.tries_to_say("Hello", [scene.people[whom]])
        if kind == "state":
            return actor.post("/users/me/status", status_text=text)
        group = scene.chat.group("everyone" if kind == "open" else "members")
        return actor.patch("/realm", can_access_all_users_group={"new": group})

    return do


@st.composite
def vouching(draw: st.DrawFn) -> Step:
    """An SSO provider creates a user with a name, a role and groups, and deactivates them."""
    subject = draw(st.sampled_from(["zoe", "yan"]))
    profile = ExternalProfile(
        provider="ldap:house",
        method="LDAP",
        subject=subject,
        emails=(f"{subject}@example.com",),
        full_name=draw(st.sampled_from(["Zoe", "Yan"])),
        welcome=AdmissionPolicy.ANYBODY,
        leads=True,
        role=draw(st.sampled_from([None, Role.ADMINISTRATOR, Role.MEMBER, Role.GUEST])),
        managed_roles=frozenset({Role.ADMINISTRATOR, Role.GUEST}),
        groups=draw(st.sampled_from([None, (), ("bakers",), ("bakers", "sailors")])),
    )
    is_there = draw(st.booleans())

    def do(scene: Scene, actor: Person) -> Reply:
        if is_there:
            vault = scene.chat.server.vault
            scene.chat.write(actions.people.external_identities.match_or_create, vault, profile)
        else:
            gone = ProfileUpdate(Identity("ldap:house", subject, 0), None)
            scene.chat.write(actions.people.external_identities.sync, gone, True)
        return actor.get("/users/me")

    return do


@st.composite
def speaking(draw: st.DrawFn) -> Step:
    which = draw(number)
    return lambda scene, actor: actor.tries_to_say("Hello", f"{CHANNELS[which]} > greetings")


steps = st.one_of(
    creating(),
    creating(),
    leaving(),
    editing(),
    editing(),
    permitting(),
    archiving(),
    choosing(),
    filing(),
    gathering(),
    gathering(),
    coming_and_going(),
    coming_and_going(),
    governing(),
    listing(),
    listing(),
    handling_accounts(),
    handling_accounts(),
    keeping_bots(),
    meeting(),
    vouching(),
    meeting(),
    speaking(),
)


@settings(max_examples=8)
@given(done=st.lists(st.tuples(user_index, steps), min_size=3, max_size=14))
def test_a_watcher_has_the_state_of_a_newcomer(
    done: list[tuple[int, Step]], open_server: Server
) -> None:
    chat = Chat.found(open_server)
    chat.set("enable_spectator_access", True)
    chat.set("send_channel_events_messages", True)
    chat.permit("can_access_all_users_group", "members")
    names = ["ana", "ben", "cleo", "dan", "eve", "fay", "gil"]
    roles = ROLES + OTHERS
    people = [chat.person(name, role=role) for name, role in zip(names, roles, strict=True)]
    people[2].joins("kitchen", principals=[person.id for person in people[3:]])
    people[3].joins("cellar", invite_only=True)
    chat.permit("can_manage_all_groups", "members")
    for name, person in zip(GROUPS, people, strict=False):
        person.post("/user_groups/create", name=name, description="", members=[person.id])
    watchers = [watch(person) for person in people[: len(ROLES)]]
    older = watch(people[2], include_deactivated_groups=False)
    late = [watch(person) for person in people[: len(ROLES)]]

    for actor, step in done:
        step(Scene(chat, people), people[actor])

    for person, watcher, latecomer in zip(people, watchers, late, strict=False):
        newcomer = watch(person).sees()
        assert watcher.sees() == newcomer, person.name
        open_server.lose_mailbox(latecomer.queue_id)
        assert latecomer.sees() == newcomer, f"{person.name}, from the log"
        assert latecomer.subjects == watcher.subjects, f"{person.name}, from the log"
    assert older.sees() == watch(people[2], include_deactivated_groups=False).sees()
