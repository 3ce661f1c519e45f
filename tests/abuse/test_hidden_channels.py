"""A hidden channel gets the same answer as one that does not exist, from every endpoint.

The callers have never had access to the channel "vault": a member, the member's bot, a guest, a
guest who knows no other user, an owner of another organization. Each makes every call with the id
and the name of the vault, and with an unused id and an unused name of the same length. The answers
must be equal byte for byte, except for the id and name in the request. A test checks that the table
has every route.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from tests.actions.test_hidden_and_missing import questions
from tests.support.client import Reply
from tests.support.narrows import term
from tests.support.people import Chat, Person

from tertulia import actions
from tertulia.api.routes import ROUTES

NAME, NO_NAME = "vault", "never"
LATER = {"scheduled_delivery_timestamp": 2**33}
WINDOW = {"anchor": "newest", "num_before": 9, "num_after": 9}


class RequestedChannel(NamedTuple):
    """The channel of a request, and a subscriber of the vault."""

    id: int
    name: str
    insider: Person


Call = Callable[[Person, RequestedChannel], Reply]


def _draft(number: int) -> list[dict[str, Any]]:
    return [{"type": "stream", "to": [number], "topic": "x", "content": "y"}]


def _property(number: int) -> list[dict[str, Any]]:
    return [{"stream_id": number, "property": "pin_to_top", "value": True}]


def _narrowed(who: Person, operand: int | str, *, negated: bool = False) -> Reply:
    return who.get("/messages", narrow=[term("channel", operand, negated=negated)], **WINDOW)


def _with_policy(policy: int) -> Call:
    return lambda who, at: who.post(
        "/user_topics", stream_id=at.id, topic="x", visibility_policy=policy
    )


def _muting(op: str) -> Call:
    path = "/users/me/subscriptions/muted_topics"
    return lambda who, at: who.patch(path, stream_id=at.id, topic="x", op=op)


def _muting_by_name(op: str) -> Call:
    path = "/users/me/subscriptions/muted_topics"
    return lambda who, at: who.patch(path, stream=at.name, topic="x", op=op)


def _with_default(place: str) -> Call:
    return lambda who, at: who.post(
        "/bots", full_name="Helper", short_name="help", **{place: at.name}
    )


# Every call with its arguments: the hidden channel, or an unused id and name of the same form.
CALLS: dict[str, Call] = {
    "POST /messages": lambda who, at: who.post(
        "/messages", type="channel", to=at.id, topic="x", content="y"
    ),
    "POST /messages by name": lambda who, at: who.post(
        "/messages", type="channel", to=at.name, topic="x", content="y"
    ),
    "POST /messages by its at.name in capitals": lambda who, at: who.post(
        "/messages", type="channel", to=f" {at.name.upper()} ", topic="x", content="y"
    ),
    "GET /messages": lambda who, at: _narrowed(who, at.id),
    "GET /messages by name": lambda who, at: _narrowed(who, at.name),
    "GET /messages elsewhere": lambda who, at: _narrowed(who, at.id, negated=True),
    "GET /messages elsewhere, by name": lambda who, at: _narrowed(who, at.name, negated=True),
    "GET /messages/matches_narrow": lambda who, at: who.get(
        "/messages/matches_narrow", msg_ids=[1], narrow=[term("channel", at.id)]
    ),
    "POST /messages/flags/narrow": lambda who, at: who.post(
        "/messages/flags/narrow", narrow=[term("channel", at.id)], op="add", flag="read", **WINDOW
    ),
    "POST /register": lambda who, at: who.post(
        "/register", narrow=[["channel", at.name]], fetch_event_types=[]
    ),
    "PATCH /messages/{message_id}": lambda who, at: who.patch(
        f"/messages/{who.says('x', to='lobby > x').id}", stream_id=at.id
    ),
    "POST /mark_stream_as_read": lambda who, at: who.post("/mark_stream_as_read", stream_id=at.id),
    "POST /mark_topic_as_read": lambda who, at: who.post(
        "/mark_topic_as_read", stream_id=at.id, topic_name="x"
    ),
    "POST /messages/render": lambda who, at: who.post(
        "/messages/render", content=f"#**{at.name}** #**{at.name}>x** #**{at.name}>x@{at.id}**"
    ),
    "POST /external/{integration}": lambda who, at: who.post(
        "/external/json", stream=str(at.id), payload="{}"
    ),
    "POST /scheduled_messages": lambda who, at: who.post(
        "/scheduled_messages", type="channel", to=at.id, topic="x", content="y", **LATER
    ),
    "PATCH /scheduled_messages/{scheduled_message_id}": lambda who, at: who.patch(
        f"/scheduled_messages/{_scheduled(who)}", type="channel", to=at.id, topic="x"
    ),
    "POST /drafts": lambda who, at: who.post("/drafts", drafts=_draft(at.id)),
    "PATCH /drafts/{draft_id}": lambda who, at: who.patch(
        f"/drafts/{_kept(who)}", draft=_draft(at.id)[0]
    ),
    "GET /get_stream_id": lambda who, at: who.get("/get_stream_id", stream=at.name),
    "GET /streams/{stream_id}": lambda who, at: who.get(f"/streams/{at.id}"),
    "PATCH /streams/{stream_id}": lambda who, at: who.patch(f"/streams/{at.id}", new_name="x"),
    "PATCH /streams/{stream_id} opened": lambda who, at: who.patch(
        f"/streams/{at.id}", is_web_public=True
    ),
    "PATCH /streams/{stream_id} with an old value": lambda who, at: who.patch(
        f"/streams/{at.id}",
        can_send_message_group={"new": who.chat.group("members"), "old": 1},
    ),
    "DELETE /streams/{stream_id}": lambda who, at: who.delete(f"/streams/{at.id}"),
    "GET /streams/{stream_id}/members": lambda who, at: who.get(f"/streams/{at.id}/members"),
    "GET /streams/{stream_id}/email_address": lambda who, at: who.get(
        f"/streams/{at.id}/email_address"
    ),
    "POST /streams/{stream_id}/email_address/regenerate": lambda who, at: who.post(
        f"/streams/{at.id}/email_address/regenerate"
    ),
    "GET /streams/{stream_id}/forum": lambda who, at: who.get(f"/streams/{at.id}/forum"),
    "GET /users/me/{stream_id}/topics": lambda who, at: who.get(f"/users/me/{at.id}/topics"),
    "POST /default_streams": lambda who, at: who.post("/default_streams", stream_id=at.id),
    "DELETE /default_streams": lambda who, at: who.delete("/default_streams", stream_id=at.id),
    "POST /streams/{stream_id}/export": lambda who, at: who.post(f"/streams/{at.id}/export"),
    "GET /streams/{stream_id}/topic_deletion_preview": lambda who, at: who.get(
        f"/streams/{at.id}/topic_deletion_preview", topic_name="x"
    ),
    "GET /streams/{stream_id}/topic_summaries": lambda who, at: who.get(
        f"/streams/{at.id}/topic_summaries"
    ),
    "PATCH /streams/{stream_id}/topic_summaries": lambda who, at: who.patch(
        f"/streams/{at.id}/topic_summaries", allowed=False
    ),
    "POST /streams/{stream_id}/topic_summaries": lambda who, at: who.post(
        f"/streams/{at.id}/topic_summaries", topic_name="x"
    ),
    "POST /streams/{stream_id}/delete_topic": lambda who, at: who.post(
        f"/streams/{at.id}/delete_topic", topic_name="x"
    ),
    **{f"POST /user_topics {policy}": _with_policy(policy) for policy in range(4)},
    **{f"PATCH /users/me/subscriptions/muted_topics {op}": _muting(op) for op in ("add", "remove")},
    **{
        f"PATCH /users/me/subscriptions/muted_topics {op} by name": _muting_by_name(op)
        for op in ("add", "remove")
    },
    "PATCH /users/me/subscriptions to leave": lambda who, at: who.patch(
        "/users/me/subscriptions", delete=[at.name]
    ),
    "DELETE /users/me/subscriptions": lambda who, at: who.delete(
        "/users/me/subscriptions", subscriptions=[at.name]
    ),
    "DELETE /users/me/subscriptions of another": lambda who, at: who.delete(
        "/users/me/subscriptions", subscriptions=[at.name], principals=[at.insider.id]
    ),
    "POST /users/me/subscriptions/properties": lambda who, at: who.post(
        "/users/me/subscriptions/properties", subscription_data=_property(at.id)
    ),
    "PATCH /users/me/subscriptions/{stream_id}": lambda who, at: who.patch(
        f"/users/me/subscriptions/{at.id}", property="pin_to_top", value=True
    ),
    "GET /users/{user_id}/subscriptions/{stream_id}": lambda who, at: who.get(
        f"/users/{who.id}/subscriptions/{at.id}"
    ),
    "POST /answers": lambda who, at: who.post("/answers", type="channel", to=at.id, topic="x"),
    "POST /calls": lambda who, at: who.post("/calls", type="channel", to=at.id, topic="x"),
    "GET /realm/retention_preview": lambda who, at: who.get(
        "/realm/retention_preview", message_retention_days=3, stream_id=at.id
    ),
    "POST /realm/legal_holds": lambda who, at: who.post(
        "/realm/legal_holds", reason="Case", held_stream_ids=[at.id]
    ),
    "POST /typing": lambda who, at: who.post(
        "/typing", type="channel", op="start", stream_id=at.id, topic="x"
    ),
    **{
        f"POST /bots {place}": _with_default(place)
        for place in ("default_sending_stream", "default_events_register_stream")
    },
    "PATCH /realm": lambda who, at: who.patch("/realm", signup_announcements_stream_id=at.id),
}

# Names are unique, so a name that is taken is reported to users who could take it, and only to
# them.
JOINING: dict[str, Call] = {
    "POST /users/me/subscriptions": lambda who, at: who.post(
        "/users/me/subscriptions", subscriptions=[{"name": at.name}]
    ),
    "POST /users/me/subscriptions not fatal": lambda who, at: who.post(
        "/users/me/subscriptions",
        subscriptions=[{"name": at.name}],
        authorization_errors_fatal=False,
    ),
    "PATCH /users/me/subscriptions": lambda who, at: who.patch(
        "/users/me/subscriptions", add=[{"name": at.name}]
    ),
    "POST /channels/create": lambda who, at: who.post(
        "/channels/create", name=at.name, subscribers=[who.id]
    ),
}


class HiddenChannelOrganization:
    """An organization with a vault, and users who may not know of it."""

    def __init__(self, chat: Chat) -> None:
        root = chat.person("root", role="owner")
        root.joins("lobby")
        root.joins(NAME, invite_only=True)
        root.says("gold", to=f"{NAME} > x")
        chat.permit("can_access_all_users_group", "members")
        self.hidden = chat.channel(NAME).id
        self.unknown = 10**6 + self.hidden
        self.root = root
        member = chat.person("member", channels=["lobby"])
        elsewhere = Chat.found(chat.server)
        self.intruders = {
            "member": member,
            "bot": chat.person("bot", bot="generic", owner=member, channels=["lobby"]),
            "guest": chat.person("guest", role="guest", channels=["lobby"]),
            "lonely guest": chat.person("lonely", role="guest"),
            "foreign owner": elsewhere.person("foreign", role="owner", channels=["lobby"]),
        }

    def answers(self, call: Call, who: Person) -> tuple[tuple[int, str], tuple[int, str]]:
        """Answers for the hidden channel and for the missing one, with both named alike."""
        there = call(who, RequestedChannel(self.hidden, NAME, self.root))
        nowhere = call(who, RequestedChannel(self.unknown, NO_NAME, self.root))
        return self._plain(there), self._plain(nowhere)

    def _plain(self, reply: Reply) -> tuple[int, str]:
        """Other things may have the id of the hidden channel, too."""
        words = re.sub(rf"\b({self.hidden}|{self.unknown})\b", "#", reply.body.decode())
        words = re.sub(f"{NAME}|{NO_NAME}", "NAME", words, flags=re.IGNORECASE)
        return reply.status, re.sub(r'"queue_id":"[^"]*"', "", words)


def _scheduled(who: Person) -> int:
    made = who.post("/scheduled_messages", type="direct", to=[who.id], content="x", **LATER)
    number: int = made.succeeds()["scheduled_message_id"]
    return number


def _kept(who: Person) -> int:
    draft = {"type": "", "to": [], "topic": "", "content": "x"}
    number: int = who.post("/drafts", drafts=[draft]).succeeds()["ids"][0]
    return number


@pytest.mark.parametrize("who", ["member", "bot", "guest", "lonely guest", "foreign owner"])
def test_a_hidden_channel_gets_the_same_answer_as_a_missing_one(chat, who):
    org = HiddenChannelOrganization(chat)
    intruder = org.intruders[who]
    for name, call in CALLS.items():
        if who == "lonely guest" and name == "PATCH /messages/{message_id}":
            continue  # they could not have sent a message anywhere
        there, nowhere = org.answers(call, intruder)
        assert there == nowhere, name


@pytest.mark.parametrize("who", ["member", "bot", "guest", "lonely guest"])
def test_a_taken_name_is_reported_only_to_users_who_could_take_it(chat, who):
    org = HiddenChannelOrganization(chat)
    for kind in ("public", "private"):
        chat.permit(f"can_create_{kind}_channel_group", "administrators")
    for name, call in JOINING.items():
        there, nowhere = org.answers(call, org.intruders[who])
        assert there == nowhere, name


def test_a_taken_name_is_reported_in_the_callers_spelling(chat):
    member = HiddenChannelOrganization(chat).intruders["member"]

    for spelling in ("vault", "VAULT"):
        wanted = [{"name": spelling}]
        member.post("/users/me/subscriptions", subscriptions=wanted).fails(
            f"Unable to access channel ({spelling})."
        )
        left = member.post(
            "/users/me/subscriptions", subscriptions=wanted, authorization_errors_fatal=False
        )
        assert left.succeeds()["unauthorized"] == [spelling]
        member.post("/channels/create", name=spelling, subscribers=[]).fails(
            f"Channel '{spelling}' already exists", code="CHANNEL_ALREADY_EXISTS", status=409
        )


def test_every_route_that_takes_a_channel_is_in_the_table():
    words = {"stream_id", "stream", "narrow", "subscriptions", "add", "to", "drafts", "draft"}
    words |= {"default_sending_stream", "subscription_data"}
    taking = {
        f"{route.method} {route.path}"
        for route in ROUTES
        if words & {*route.contract.names, *route.contract.path_types}
    }
    tried = {" ".join(name.split()[:2]) for name in [*CALLS, *JOINING]}
    groups = {name for name in taking if "/user_groups/" in name}  # that add users

    # As on creation; as with a webhook; in tests/features/test_apps.py.
    as_others = {"PATCH /bots/{bot_id}", "POST /integrations/{integration}/example"}
    assert taking - tried - groups == as_others | {"POST /commands/{command_id}/calls"}


def test_uses_of_a_group_are_reported_without_ids_of_hidden_channels(chat):
    org = HiddenChannelOrganization(chat)
    member = org.intruders["member"]
    group = member.post("/user_groups/create", name="crew", description="", members=[]).succeeds()
    named = {"new": group["group_id"]}
    org.root.patch(f"/streams/{org.hidden}", can_subscribe_group=named).succeeds()

    refused = member.post(f"/user_groups/{group['group_id']}/deactivate").json

    (rejection_reason,) = refused["objections"]
    assert rejection_reason == {
        "type": "channel",
        "channel_id": None,
        "settings": ["can_subscribe_group"],
    }


def test_a_missing_and_a_hidden_channel_take_as_many_queries(chat):
    org = HiddenChannelOrganization(chat)
    draft: Any = None
    lookups: list[tuple[Any, tuple[Any, ...]]] = [
        (actions.messages.send_checks.check_to_channel, ("x", draft)),
        (actions.personal.topic_policies.mute, ("x",)),
        (actions.personal.topic_policies.unmute, ("x",)),
        (actions.messages.deletion.delete_topic, ("x",)),
        (actions.channels.lookups.named, ()),
    ]
    for who in ("member", "guest"):
        me = org.intruders[who].record
        for lookup, more in lookups:
            for there, nowhere in ((org.hidden, org.unknown), (NAME, NO_NAME)):
                if isinstance(there, str) and lookup is actions.messages.deletion.delete_topic:
                    continue
                requested = [
                    chat.read(questions, lookup, me, each, *more) for each in (there, nowhere)
                ]
                assert abs(requested[0] - requested[1]) <= 1, (who, lookup)


def test_a_user_who_lost_access_does_not_learn_a_channels_new_name(chat):
    """Neither from mutes nor from drafts nor from the defaults of a bot."""
    org = HiddenChannelOrganization(chat)
    member, root = org.intruders["member"], org.root
    root.joins(NAME, principals=[member.id])
    muted = {"stream_id": org.hidden, "topic": "x", "visibility_policy": 1}
    member.post("/user_topics", **muted).succeeds()
    member.post("/drafts", drafts=_draft(org.hidden)).succeeds()
    places = {"default_sending_stream": NAME, "default_events_register_stream": NAME}
    member.post("/bots", full_name="Helper", short_name="help", **places).succeeds()
    queue = member.listens_for()
    root.leaves(NAME, principals=[member.id])
    queue.all()

    root.patch(f"/streams/{org.hidden}", new_name="treasury").succeeds()
    member.post("/user_topics", **(muted | {"stream_id": chat.channel("lobby").id})).succeeds()

    state = [queue.all(), member.registers(), member.get("/bots").json, member.get("/drafts").json]
    assert "treasury" not in str(state)
