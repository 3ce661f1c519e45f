"""Spectators: reading without login, where server, organization and channel allow it."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.databases import Databases, Kind
from tests.support.people import Caller, Chat
from tests.support.shared_servers import SharedServers

OPENLY = [{"operator": "channels", "operand": "web-public"}]


@pytest.fixture(scope="module")
def open_servers(databases: Databases) -> Iterator[SharedServers]:
    """A server per database that allows web-public channels."""
    with SharedServers(databases, web_public_streams_enabled=True) as servers:
        yield servers


@pytest.fixture
def square(kind: Kind, open_servers: SharedServers) -> Chat:
    """An organization with one web-public channel."""
    chat = open_servers.chat_on(kind)
    chat.set("enable_spectator_access", True)
    ana = chat.person("ana", role="owner", settings={"email_address_visibility": 1})
    ana.joins("square", is_web_public=True)
    ana.joins("house")
    return chat


def message_in(chat: Chat, where: str) -> int:
    return chat.person(f"speaker-{where}", channels=[where]).says("Hello", to=f"{where} > talk").id


def read(who: Caller, narrow: list[Any]) -> Any:
    return who.get("/messages", anchor="newest", num_before=10, narrow=narrow)


def test_a_search_finds_only_web_public_messages(square):
    number, _ = message_in(square, "square"), message_in(square, "house")

    messages = read(square.stranger, [*OPENLY, ["search", "hello"]]).succeeds()["messages"]

    assert [each["id"] for each in messages] == [number]


def test_messages_of_web_public_channels_can_be_read(square):
    number, hidden = message_in(square, "square"), message_in(square, "house")

    messages = read(square.stranger, OPENLY).succeeds()["messages"]

    assert [(each["id"], each["flags"]) for each in messages] == [(number, ["read"])]
    one = square.stranger.get(f"/messages/{number}").succeeds()["message"]
    assert (one["id"], one["flags"]) == (number, ["read"])
    for unseen in (hidden, 99_999_999):
        refused = square.stranger.get(f"/messages/{unseen}")
        refused.asks_to_log_in()


def test_mentions_name_only_people_whom_spectators_may_know(square):
    bea, ben = square.people("beatriz", "ben", channels=["square"])
    ask = f"Ask @**{bea.name}** or @_**{bea.name}|{bea.id}**"
    sent = ben.says(f"{ask} first", to="square > talk")
    ben.patch(f"/messages/{sent.id}", content=f"{ask} now").succeeds()

    def answers() -> list[Any]:
        return [
            *(read(square.stranger, [*OPENLY, *more]).body for more in ([], [["search", "ask"]])),
            square.stranger.get(
                "/messages", narrow=OPENLY, message_ids=[sent.id], apply_markdown=False
            ).body,
            square.stranger.get(f"/messages/{sent.id}").body,
        ]

    assert all("prev_content" in str(each) and bea.name in str(each) for each in answers())

    square.permit("can_access_all_users_group", "members")

    for answer in answers():
        assert bea.name not in str(answer)
        assert str(answer).count("Unknown user") >= 4
    assert bea.name in ben.get(f"/messages/{sent.id}").succeeds()["message"]["content"]


def test_a_narrow_can_restrict_but_not_extend(square):
    number = message_in(square, "square")
    message_in(square, "house")
    topic = [{"operator": "topic", "operand": "talk"}]
    house = [{"operator": "channel", "operand": "house"}]

    assert len(read(square.stranger, OPENLY + topic).succeeds()["messages"]) == 1
    read(square.stranger, OPENLY + house).fails(
        "Invalid narrow operator: unknown channel house", code="BAD_NARROW"
    )
    by_id = square.stranger.get("/messages", narrow=OPENLY, message_ids=[number]).succeeds()
    assert [each["id"] for each in by_id["messages"]] == [number]


@pytest.mark.parametrize(
    "narrow",
    [
        [],
        [{"operator": "channel", "operand": "square"}],
        [{"operator": "channels", "operand": "web-public", "negated": True}],
        [{"operator": "channels", "operand": "public"}],
        [*OPENLY, {"operator": "is", "operand": "starred"}],
        [*OPENLY, {"operator": "dm", "operand": "1"}],
    ],
)
def test_other_narrows_need_a_login(square, narrow):
    refused = read(square.stranger, narrow)

    refused.asks_to_log_in()


def test_topics_of_web_public_channels_can_be_listed(square):
    message_in(square, "square")

    path = f"/users/me/{square.channel('square').id}/topics"

    assert [each["name"] for each in square.stranger.get(path).succeeds()["topics"]] == ["talk"]
    other = f"/users/me/{square.channel('house').id}/topics"
    square.stranger.get(other).fails("Invalid channel ID")


def test_the_forum_of_a_web_public_channel_can_be_read(square):
    for name in ("square", "house"):
        message_in(square, name)
    square_id, house_id = (square.channel(name).id for name in ("square", "house"))

    (topic,) = square.stranger.get(f"/streams/{square_id}/forum").succeeds()["topics"]

    assert topic["name"] == "talk"
    square.stranger.get(f"/streams/{house_id}/forum").fails("Invalid channel ID")


def test_register_returns_what_is_public(square):
    boss = square.person("boss", role="owner")
    boss.post("/realm/profile_fields", name="Boat", field_type=1).succeeds()

    state = square.stranger.post("/register").succeeds()

    assert state["queue_id"] is None
    assert [each["name"] for each in state["streams"]] == ["square"]
    assert [each["name"] for each in state["never_subscribed"]] == ["square"]
    assert (state["subscriptions"], state["unsubscribed"]) == ([], [])
    assert state["realm_default_streams"] == []
    assert state["custom_profile_fields"] == []
    ana, _ = state["realm_users"]
    assert ana["delivery_email"] is None
    assert len(ana["date_joined"]) == len("2024-05-01")
    assert not {"timezone", "profile_data"} & ana.keys()
    assert (state["is_guest"], state["is_admin"], state["max_message_id"]) == (True, False, -1)


@pytest.mark.parametrize(
    "name, value", [("client_gravatar", True), ("include_subscribers", "true")]
)
def test_register_refuses_other_parts(square, name, value):
    square.stranger.post("/register", **{name: value}).fails(
        f"Invalid '{name}' parameter for anonymous request"
    )


def test_users_can_be_listed(square):
    (ana,) = square.stranger.get("/users").succeeds()["members"]

    assert (ana["full_name"], ana["delivery_email"]) == ("Ana", None)


CALLS = [
    ("GET", "/users", {}),
    ("GET", "/messages", {"anchor": "newest", "narrow": OPENLY}),
    ("GET", "/messages/1", {}),
    ("POST", "/register", {}),
    ("GET", "/users/me/1/topics", {}),
    ("GET", "/streams/1/forum", {}),
]


@pytest.mark.parametrize("method, path, params", CALLS)
def test_without_a_web_public_channel_everything_needs_a_login(square, method, path, params):
    ana = square.person("admin", role="admin")
    ana.delete(f"/streams/{square.channel('square').id}").succeeds()

    refused = square.stranger.request(method, path, **params)

    refused.asks_to_log_in()


@pytest.mark.parametrize("method, path, params", CALLS)
def test_where_the_server_does_not_allow_it_everything_needs_a_login(chat, method, path, params):
    chat.set("enable_spectator_access", True)
    chat.person("ana", channels=["square"])

    refused = chat.stranger.request(method, path, **params)

    refused.asks_to_log_in()


@pytest.mark.parametrize("path", ["/streams", "/users/me", "/users/me/subscriptions", "/events"])
def test_everything_else_needs_a_login_everywhere(square, path):
    square.stranger.get(path).asks_to_log_in()


def test_making_a_channel_web_public_requires_its_own_permission(square):
    ben = square.person("ben", role="admin")
    wanted = [{"name": "park"}]

    ben.post("/users/me/subscriptions", subscriptions=wanted, is_web_public=True).fails(
        "Insufficient permission"
    )
    house = f"/streams/{square.channel('house').id}"
    ben.patch(house, is_web_public=True).fails("Insufficient permission")
    square.permit("can_create_web_public_channel_group", "administrators")
    ben.patch(house, is_web_public=True).succeeds()
    square.set("enable_spectator_access", False)
    ben.post("/users/me/subscriptions", subscriptions=wanted, is_web_public=True).fails(
        "Web-public channels are not enabled."
    )


def test_guests_see_web_public_channels(square):
    gus = square.person("gus", role="guest")

    listed = gus.get("/streams", include_web_public=True).succeeds()["streams"]

    assert [each["name"] for each in listed] == ["square"]
    queue = gus.listens_for("stream")
    ana = square.person("owner2", role="owner")
    path = f"/streams/{square.channel('square').id}"
    ana.patch(path, is_web_public=False).succeeds()
    assert [event["op"] for event in queue.all()] == ["delete"]
