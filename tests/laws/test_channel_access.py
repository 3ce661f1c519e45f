"""The law of channel access: every call about channels by every kind of user, as a table.

Each call uses a fresh channel. Moderator, full member, new member, guest and bot are subscribed;
owner, administrator and the other member are not, and the former subscriber was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.access_matrix import WHO, RecreatedSubjects, create_people, read, written
from tests.support.client import Reply
from tests.support.people import Chat, Person

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel, NewChannel

# What each word of the tables means.
WORDS = {
    "hidden": "Invalid channel ID",
    "noname": "Invalid channel name 'vault'",
    "unable": "Unable to access channel (vault).",
    "denied": "Insufficient permission",
    "admins": "Must be an organization administrator",
    "owners": "Must be an organization owner",
    "keeper": "You do not have permission to administer this channel.",
    "reader": "Channel content access is required.",
    "guests": "Not allowed for guest users",
    "not-in": "Not subscribed to channel ID {id}",
    "noone": "No such user",
    "nosuch": "Channel(s) (vault) do not exist",
    "closed": "Account is deactivated",
    "folder": "Invalid channel folder ID",
}

PRIVATE = """
                      owner  admin  mod    full   new    guest  bot    other  left   gone   far
list                  absent absent listed listed listed listed listed absent absent closed absent
list all              listed listed listed listed listed listed listed absent absent closed absent
get                   ok     ok     ok     ok     ok     ok     ok     hidden hidden closed hidden
members               ok     ok     ok     ok     ok     ok     ok     hidden hidden closed hidden
topics                hidden hidden ok     ok     ok     ok     ok     hidden hidden closed hidden
id by name            noname noname ok     ok     ok     ok     ok     noname noname closed noname
mail address          hidden hidden ok     ok     ok     ok     ok     hidden hidden closed hidden
is subscribed         ok     ok     ok     ok     ok     ok     ok     hidden hidden closed noone
channels of another   listed listed listed listed listed listed listed absent absent closed noone
own subscriptions     absent absent listed listed listed listed listed absent absent closed absent
join                  unable unable ok     ok     ok     guests ok     unable unable closed ok
add another           unable unable ok     ok     denied guests ok     unable unable closed noone
leave                 ok     ok     ok     ok     ok     ok     ok     nosuch nosuch closed nosuch
remove another        ok     ok     denied denied denied denied denied nosuch nosuch closed nosuch
leave and join        unable unable ok     ok     ok     guests ok     unable unable closed nosuch
pin                   not-in not-in ok     ok     ok     ok     ok     hidden hidden closed hidden
pin, the other way    not-in not-in ok     ok     ok     ok     ok     hidden hidden closed hidden
describe              ok     ok     keeper keeper keeper keeper keeper hidden hidden closed hidden
rename                ok     ok     keeper keeper keeper keeper keeper hidden hidden closed hidden
make public           reader reader keeper keeper keeper keeper keeper hidden hidden closed hidden
let people in         reader reader keeper keeper keeper keeper keeper hidden hidden closed hidden
who may send          ok     ok     keeper keeper keeper keeper keeper hidden hidden closed hidden
keep messages         ok     owners keeper keeper keeper keeper keeper hidden hidden closed hidden
archive               ok     ok     keeper keeper keeper keeper keeper hidden hidden closed hidden
bring back            ok     ok     keeper keeper keeper keeper keeper hidden hidden closed hidden
delete a topic        hidden hidden admins admins admins admins admins admins admins closed hidden
make default          hidden hidden admins admins admins admins admins admins admins closed hidden
no longer default     hidden hidden admins admins admins admins admins admins admins closed hidden
"""

PUBLIC = """
                      owner  admin  mod    full   new    guest  bot    other  left   gone   far
list                  listed listed listed listed listed listed listed listed listed closed absent
get                   ok     ok     ok     ok     ok     ok     ok     ok     ok     closed hidden
members               ok     ok     ok     ok     ok     ok     ok     ok     ok     closed hidden
topics                ok     ok     ok     ok     ok     ok     ok     ok     ok     closed hidden
id by name            ok     ok     ok     ok     ok     ok     ok     ok     ok     closed noname
is subscribed         ok     ok     ok     ok     ok     ok     ok     ok     ok     closed noone
join                  ok     ok     ok     ok     ok     guests ok     ok     ok     closed ok
add another           ok     ok     ok     ok     denied guests ok     ok     ok     closed noone
remove another        ok     ok     denied denied denied denied denied denied denied closed nosuch
pin                   not-in not-in ok     ok     ok     ok     ok     not-in not-in closed hidden
describe              ok     ok     keeper keeper keeper keeper keeper keeper keeper closed hidden
make private          ok     ok     keeper keeper keeper keeper keeper keeper keeper closed hidden
archive               ok     ok     keeper keeper keeper keeper keeper keeper keeper closed hidden
bring back            ok     ok     keeper keeper keeper keeper keeper keeper keeper closed hidden
delete a topic        ok     ok     admins admins admins admins admins admins admins closed hidden
make default          ok     ok     admins admins admins admins admins admins admins closed hidden
no longer default     ok     ok     admins admins admins admins admins admins admins closed hidden
"""

ANYWHERE = """
                      owner  admin  mod    full   new    guest  bot    other  left   gone   far
create a channel      ok     ok     ok     ok     denied guests ok     ok     ok     closed ok
create, the other way ok     ok     ok     ok     denied guests ok     ok     ok     closed ok
list folders          ok     ok     ok     ok     ok     ok     ok     ok     ok     closed ok
create a folder       ok     ok     admins admins admins admins admins admins admins closed ok
edit a folder         ok     ok     admins admins admins admins admins admins admins closed folder
order the folders     ok     ok     admins admins admins admins admins admins admins closed ok
"""


@dataclass(frozen=True)
class ChannelScene:
    """A channel and a subscriber, as calls name them."""

    chat: Chat
    channel: Channel
    insider: Person
    folder_id: int

    @property
    def path(self) -> str:
        return f"/streams/{self.channel.id}"

    @property
    def named(self) -> list[dict[str, str]]:
        return [{"name": self.channel.name}]


def _all_folders(who: Person) -> list[int]:
    found = who.get("/channel_folders", include_archived=True).succeeds()
    return [folder["id"] for folder in found["channel_folders"]]


def _chosen(scene: ChannelScene) -> dict[str, Any]:
    return {"stream_id": scene.channel.id, "property": "pin_to_top", "value": True}


def _archived(scene: ChannelScene) -> str:
    scene.insider.delete(scene.path).succeeds()
    return scene.path


CALLS: dict[str, Callable[[Person, ChannelScene], Reply]] = {
    "list": lambda who, at: who.get("/streams"),
    "list all": lambda who, at: who.get("/streams", include_all=True),
    "get": lambda who, at: who.get(at.path),
    "members": lambda who, at: who.get(f"{at.path}/members"),
    "topics": lambda who, at: who.get(f"/users/me/{at.channel.id}/topics"),
    "id by name": lambda who, at: who.get("/get_stream_id", stream=at.channel.name),
    "mail address": lambda who, at: who.get(f"{at.path}/email_address"),
    "is subscribed": lambda who, at: who.get(
        f"/users/{at.insider.id}/subscriptions/{at.channel.id}"
    ),
    "channels of another": lambda who, at: who.get(f"/users/{at.insider.id}/channels"),
    "own subscriptions": lambda who, at: who.get("/users/me/subscriptions"),
    "join": lambda who, at: who.post("/users/me/subscriptions", subscriptions=at.named),
    "add another": lambda who, at: who.post(
        "/users/me/subscriptions", subscriptions=at.named, principals=[at.insider.id]
    ),
    "leave": lambda who, at: who.delete("/users/me/subscriptions", subscriptions=[at.channel.name]),
    "remove another": lambda who, at: who.delete(
        "/users/me/subscriptions", subscriptions=[at.channel.name], principals=[at.insider.id]
    ),
    "leave and join": lambda who, at: (
        who.patch("/users/me/subscriptions", add=at.named, delete=["general"])
        if at.chat.host == who.headers["Host"]
        else who.patch("/users/me/subscriptions", delete=[at.channel.name])
    ),
    "pin": lambda who, at: who.post(
        "/users/me/subscriptions/properties", subscription_data=[_chosen(at)]
    ),
    "pin, the other way": lambda who, at: who.patch(
        f"/users/me/subscriptions/{at.channel.id}", property="pin_to_top", value=True
    ),
    "describe": lambda who, at: who.patch(at.path, description="mine"),
    "rename": lambda who, at: who.patch(at.path, new_name="renamed"),
    "make public": lambda who, at: who.patch(at.path, is_private=False),
    "make private": lambda who, at: who.patch(at.path, is_private=True),
    "let people in": lambda who, at: who.patch(
        at.path, can_subscribe_group={"new": at.chat.group("members")}
    ),
    "who may send": lambda who, at: who.patch(
        at.path, can_send_message_group={"new": at.chat.group("members")}
    ),
    "keep messages": lambda who, at: who.patch(at.path, message_retention_days=7),
    "archive": lambda who, at: who.delete(at.path),
    "bring back": lambda who, at: who.patch(_archived(at), is_archived=False),
    "delete a topic": lambda who, at: who.post(f"{at.path}/delete_topic", topic_name="lunch"),
    "make default": lambda who, at: who.post("/default_streams", stream_id=at.channel.id),
    "no longer default": lambda who, at: who.delete("/default_streams", stream_id=at.channel.id),
    "create a channel": lambda who, at: who.post(
        "/users/me/subscriptions", subscriptions=[{"name": f"new of {who.name}"}]
    ),
    "create, the other way": lambda who, at: who.post(
        "/channels/create", name=f"other of {who.name}", subscribers=[]
    ),
    "list folders": lambda who, at: who.get("/channel_folders"),
    "create a folder": lambda who, at: who.post(
        "/channel_folders/create", name=f"of {who.name}", description=""
    ),
    "edit a folder": lambda who, at: who.patch(
        f"/channel_folders/{at.folder_id}", description=f"of {who.name}"
    ),
    "order the folders": lambda who, at: who.patch(
        "/channel_folders",
        order=_all_folders(who) if who.name != "Gone" else [],
    ),
}


@pytest.mark.parametrize(
    "table, private",
    [(PRIVATE, True), (PUBLIC, False), (ANYWHERE, False)],
    ids=["private", "public", "anywhere"],
)
def test_every_call_gives_every_user_the_result_of_the_table(
    table: str, private: bool, chat: Chat
) -> None:
    people = create_people(chat)
    made = people["owner"].post("/channel_folders/create", name="Shelf", description="")
    folder_id = made.succeeds()["channel_folder_id"]
    expected = read(table)

    def scene() -> ChannelScene:
        channel = _stand_around(chat, people, private)
        return ChannelScene(chat, channel, people["insider"], folder_id)

    places = RecreatedSubjects(scene, changing="bring back")

    def met(call: str, who: str) -> str:
        return places.after(call, _word(call, people[who], places.now))

    got = {call: {who: met(call, who) for who in WHO} for call in expected}

    assert written(got) == written(expected)


def _stand_around(chat: Chat, people: dict[str, Person], private: bool) -> Channel:
    """Create a channel with all users in their places; rename an older one with the same name."""
    inside = [people[name].id for name in ("insider", "mod", "full", "new", "guest", "bot", "left")]
    return chat.write(_make_channel, people["insider"].id, inside, people["left"].id, private)


def _make_channel(
    tx: Tx, creator_id: int, inside: list[int], left_id: int, private: bool
) -> Channel:
    tx.execute(
        "UPDATE channel SET name_key = 'was ' || id, name = 'was ' || id"
        " WHERE name_key IN ('vault', 'renamed')"
    )
    creator = storage.people.users.find(tx, creator_id)
    assert creator is not None
    channel = actions.channels.creation.create_unchecked(
        tx, creator, NewChannel("vault", invite_only=private), ""
    )
    actions.channels.subscriptions.join(tx, channel, storage.people.users.find_many(tx, inside))
    actions.channels.subscriptions.remove(
        tx, channel, storage.people.users.find_many(tx, [left_id])
    )
    return channel


def _word(call: str, who: Person, scene: ChannelScene) -> str:
    reply = CALLS[call](who, scene)
    response = reply.json
    if response["result"] == "success":
        for key in ("streams", "subscriptions", "subscribed_channel_ids"):
            if key in response:
                ids = [
                    each if isinstance(each, int) else each["stream_id"] for each in response[key]
                ]
                return "listed" if scene.channel.id in ids else "absent"
        return "ok"
    found = {text.format(id=scene.channel.id): word for word, text in WORDS.items()}
    word: str = found.get(response["msg"], response["msg"])
    return word
