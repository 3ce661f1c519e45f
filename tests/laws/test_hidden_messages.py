"""The law of hidden messages: no operator, id or other endpoint reveals a message that a user may
not see.

Secrets are sent to places where each intruder is not, is no longer, or was not yet. Every intruder
tries every narrow that would lead there and every call with an id. A hidden id must get the same
answer as an unused one.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.database_plan import thorough_except
from tests.support.files import File, fetches, uploads
from tests.support.narrows import term
from tests.support.people import Chat, Person
from tests.support.pictures import picture

from tertulia import actions

UNKNOWN = 99_999_999
TOPIC = "✔ gold"
WORDS = "smoke for @**Ana** @**all**, https://example.com/x.png"


class SecretMessages:
    """The secrets, and which intruder may not see which."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.ana, self.ben = chat.people("ana", "ben", channels=["kitchen"])
        both = [self.ana.id, self.ben.id]
        self.ana.joins(
            "cellar", invite_only=True, history_public_to_subscribers=True, principals=both
        )
        self.ana.joins("attic", invite_only=True, history_public_to_subscribers=False)
        self.intruders = {
            "removed": chat.person("removed", channels=["kitchen"]),
            "late": chat.person("late", channels=["kitchen"]),
            "guest": chat.person("guest", role="guest", channels=["lobby"]),
            "admin": chat.person("admin", role="admin"),
            "foreign": Chat.found(chat.server).person("foreign", role="owner"),
        }
        for each in self.intruders.values():
            each.post("/users/me/alert_words", alert_words=["smoke"]).succeeds()
        removed, late = self.intruders["removed"], self.intruders["late"]
        self.ana.joins("cellar", "attic", principals=[removed.id])

        self.files: dict[int, File] = {}
        self.message_ids = {
            "kitchen": self.says(f"kitchen > {TOPIC}"),
            "cellar": self.says(f"cellar > {TOPIC}"),
            "attic": self.says(f"attic > {TOPIC}"),
            "direct": self.says([self.ben]),
        }
        for location in ("cellar", "attic"):
            self.star(removed, self.message_ids[location])
        self.ana.leaves("cellar", "attic", principals=[removed.id])
        self.ana.joins("attic", principals=[late.id])
        self.message_ids["later"] = self.says(f"attic > {TOPIC}")
        self.hidden = {
            "removed": self.ids("cellar", "attic", "later", "direct"),
            "late": self.ids("cellar", "attic", "direct"),
            "guest": self.ids("kitchen", "cellar", "attic", "later", "direct"),
            "admin": self.ids("cellar", "attic", "later", "direct"),
            "foreign": self.ids("kitchen", "cellar", "attic", "later", "direct"),
        }

    def says(self, to: Any) -> int:
        file = uploads(self.ana, "x.png", picture(), "image/png")
        number = self.ana.says(f"{WORDS} {file.link}", to=to).id
        self.files[number] = file
        self.ana.post(f"/messages/{number}/reactions", emoji_name="tada").succeeds()
        self.star(self.ana, number)
        return number

    def star(self, person: Person, number: int) -> None:
        person.post("/messages/flags", messages=[number], op="add", flag="starred").succeeds()

    def ids(self, *locations: str) -> list[int]:
        return [self.message_ids[location] for location in locations]


def narrows_to(
    secrets: SecretMessages, me: Person, hidden: list[int]
) -> Iterator[list[dict[str, Any]]]:
    """Every term that would find a secret, plain and negated, alone and with every place."""
    chat, ana, ben = secrets.chat, secrets.ana, secrets.ben
    scopes: list[tuple[str, Any]] = [
        *(("channel", chat.channel(name).id) for name in ("kitchen", "cellar", "attic")),
        *(("channel", name) for name in ("kitchen", "cellar", "attic")),
        *(("channels", kind) for kind in ("public", "web-public", "archived")),
    ]
    marks: list[tuple[str, Any]] = [
        ("topic", TOPIC),
        ("sender", ana.id),
        ("dm", [ana.id, ben.id]),
        ("dm", [ana.id]),
        ("dm-including", ana.id),
        ("dm-including", me.id),
        ("mentions", ana.id),
        ("mentions", me.id),
        *(("is", kind) for kind in ("dm", "starred", "unread", "mentioned", "alerted")),
        *(("is", kind) for kind in ("resolved", "followed", "muted")),
        *(("has", kind) for kind in ("link", "image", "attachment", "reaction")),
        *(("in", where) for where in ("home", "all")),
        *(("id", number) for number in hidden),
        *(("with", number) for number in hidden),
        ("near", str(hidden[0])),
        ("search", "smoke"),
        ("search", "example"),
    ]
    yield []
    for operator, operand in scopes + marks:
        for negated in (False, True):
            yield [term(operator, operand, negated=negated)]
    for channel in (scopes[1], ("channels", "public")):
        for mark in marks:
            yield [term(*channel), term(*mark)]
    yield [term(*scopes[1]), term("topic", TOPIC), term("with", hidden[0])]
    yield [term("dm", [ana.id, ben.id]), term("with", hidden[-1])]


@pytest.mark.parametrize(
    "who",
    thorough_except(["late", "guest", "foreign"], ["removed", "late", "guest", "admin", "foreign"]),
)
def test_no_narrow_finds_a_hidden_message(chat, who):
    secrets = SecretMessages(chat)
    me, hidden = secrets.intruders[who], secrets.hidden[who]
    tried = 0

    for narrow in narrows_to(secrets, me, hidden):
        newest = me.get("/messages", anchor="newest", num_before=50, narrow=narrow)
        if newest.status != 200:
            assert newest.json["code"] == "BAD_NARROW", narrow
            continue
        by_ids = me.get("/messages", message_ids=hidden, narrow=narrow)
        matching = me.get("/messages/matches_narrow", msg_ids=hidden, narrow=narrow)
        shown = newest.succeeds()["messages"] + by_ids.succeeds()["messages"]
        found = {message["id"] for message in shown}
        found.update(map(int, matching.succeeds()["messages"]))
        assert found.isdisjoint(hidden), narrow
        tried += 1

    assert tried > (20 if who == "foreign" else 60), "little was understood"


def test_anchors_and_flag_ranges_reveal_nothing(chat):
    secrets = SecretMessages(chat)
    for who, me in secrets.intruders.items():
        hidden = secrets.hidden[who]
        for anchor in ("oldest", "newest", "first_unread", "date", hidden[0], hidden[-1]):
            around: dict[str, Any] = {"anchor": anchor, "num_before": 20, "num_after": 20}
            around |= {"anchor_date": "2001-01-01"} if anchor == "date" else {}
            shown = me.get("/messages", **around).succeeds()
            assert shown["anchor"] not in hidden or not shown["found_anchor"], who
            assert {message["id"] for message in shown["messages"]}.isdisjoint(hidden), who
            for flag, op in (("starred", "add"), ("read", "remove")):
                marked = me.post(
                    "/messages/flags/narrow", **around, narrow=[], flag=flag, op=op
                ).succeeds()
                ends = {marked["first_processed_id"], marked["last_processed_id"]}
                assert ends.isdisjoint(hidden), who
        for name in ("kitchen", "cellar", "attic"):
            if who != "foreign":
                channel = [term("channel", name)]
                params = {"anchor": "oldest", "num_before": 0, "num_after": 20, "narrow": channel}
                done = me.post("/messages/flags/narrow", **params, flag="starred", op="add")
                assert done.status == 200 or done.json["code"] == "BAD_NARROW"
        state = me.registers(
            fetch_event_types=["message", "update_message_flags", "starred_messages"]
        )
        unread = state["unread_msgs"]
        groups = unread["pms"] + unread["huddles"] + unread["streams"]
        found = {each for group in groups for each in group["unread_message_ids"]}
        if who != "removed":  # who starred it while it was visible
            found.update(state["starred_messages"])
        assert found.isdisjoint(hidden), who


def test_a_hidden_id_is_like_an_unused_one(chat):
    secrets = SecretMessages(chat)
    for who, me in secrets.intruders.items():
        for number in secrets.hidden[who]:
            for hidden, unknown in zip(calls(me, number), calls(me, UNKNOWN), strict=True):
                found = {**hidden.json, "messages": None}
                assert (hidden.status, found) == (
                    unknown.status,
                    {**unknown.json, "messages": None},
                ), who
        assert secrets.ana.sees(secrets.message_ids["cellar"])["content"], "and nothing has changed"


def calls(me: Person, number: int) -> Iterator[Any]:
    path = f"/messages/{number}"
    yield me.get(path)
    yield me.get(path, apply_markdown=False)
    yield me.get(f"{path}/history")
    yield me.get(f"{path}/read_receipts")
    yield me.patch(path, content="x")
    yield me.patch(path, topic="x", propagate_mode="change_all")
    yield me.delete(path)
    yield me.post(f"{path}/reactions", emoji_name="tada")
    yield me.delete(f"{path}/reactions", emoji_name="tada")
    yield me.post(f"{path}/typing", op="start")
    for flag in ("starred", "collapsed", "read"):
        for op in ("add", "remove"):
            if (me.name, flag) != ("Removed", "starred"):  # the intruder's own star
                yield me.post("/messages/flags", messages=[number], op=op, flag=flag)
    yield me.post("/reminders", message_id=number, scheduled_delivery_timestamp=2**33)
    yield me.get("/messages", anchor="newest", narrow=[term("with", number)])


def test_files_of_hidden_messages_cannot_be_read(chat):
    """Not by linking them either: a message gives access only to files that its author may read."""
    secrets = SecretMessages(chat)
    for who, me in secrets.intruders.items():
        for number in secrets.hidden[who]:
            file = secrets.files[number]
            me.says(f"{file.link} !{file.link}", to=[me])
            small = File(f"/user_uploads/thumbnail/{file.path_id}/840x560.webp", "x.png")
            status = 404 if who == "foreign" else 403
            assert [fetches(me, each).status for each in (file, small)] == [status, status]
            assert me.get(f"/user_uploads/{file.path_id}").status == status
            me.get(f"/thumbnail/status/{file.path_id}").fails("Invalid attachment")
            shown = me.post("/messages/render", content=f"!{file.link}").succeeds()["rendered"]
            assert "<img" not in shown


def test_a_deactivated_account_finds_nothing(chat):
    secrets = SecretMessages(chat)
    number = secrets.message_ids["cellar"]
    chat.write(actions.people.users.deactivate, secrets.ben.id)

    for reply in (
        *calls(secrets.ben, number),
        secrets.ben.get("/messages", anchor="newest", num_before=9),
        secrets.ben.get("/messages", message_ids=[number]),
        secrets.ben.get("/messages/matches_narrow", msg_ids=[number], narrow=[]),
        secrets.ben.post("/register"),
        fetches(secrets.ben, secrets.files[number]),
    ):
        reply.fails("Account is deactivated", code="UNAUTHORIZED", status=401)
