"""Reading channels: lists, one channel, its members and topics, and subscriptions of a user."""

import pytest
from tests.support.people import Chat, Person

from tertulia import actions, domain, storage
from tertulia.database.tx import Tx


def names(who: Person, **switches: bool) -> set[str]:
    found = [each["name"] for each in who.get("/streams", **switches).succeeds()["streams"]]
    assert found == sorted(found)
    return set(found) - {"general", "sandbox"}


@pytest.fixture
def ana(chat: Chat) -> Person:
    """A user in one of several channels; a public one is archived."""
    cook = chat.person("cook")
    cook.joins("open", "past")
    cook.joins("shut", invite_only=True)
    cook.joins("joinable", invite_only=True, can_subscribe_group=chat.group("members"))
    ana = chat.person("ana")
    cook.joins("mine", invite_only=True, principals=[cook.id, ana.id])
    cook.delete(f"/streams/{chat.channel('past').id}").succeeds()
    return ana


@pytest.mark.parametrize(
    "switches, found",
    [
        ({}, {"open", "mine"}),
        ({"include_public": False}, {"mine"}),
        ({"include_subscribed": False}, {"open"}),
        ({"include_public": False, "include_subscribed": False}, set()),
        ({"include_can_access_content": True}, {"open", "mine", "joinable"}),
        ({"include_all": True}, {"open", "mine", "joinable"}),
        ({"exclude_archived": False}, {"open", "mine", "past"}),
        ({"include_owner_subscribed": True}, {"open", "mine"}),
        ({"include_web_public": True, "include_public": False}, {"mine"}),
    ],
)
def test_each_parameter_selects_its_channels(ana, switches, found):
    assert names(ana, **switches) == found


def test_administrators_can_list_everything(admin, ana):
    assert names(admin) == {"open"}
    assert names(admin, include_all=True) == {"open", "shut", "mine", "joinable"}


def test_guests_see_their_own_channels(chat, ana):
    gus = chat.person("gus", role="guest", channels=["mine"])

    assert names(gus) == names(gus, include_all=True) == {"mine"}


def test_a_bot_can_list_its_owners_channels(chat, ana):
    bot = chat.person("bot", bot="generic", owner=ana)

    assert names(bot, include_public=False, include_subscribed=False) == set()
    assert names(
        bot,
        include_public=False,
        include_subscribed=False,
        include_owner_subscribed=True,
    ) == {"mine"}


def test_defaults_are_marked_on_request(chat, ana):
    def marks(**switches: bool) -> dict[str, bool]:
        found = ana.get("/streams", **switches).succeeds()["streams"]
        return {each["name"]: each["is_default"] for each in found if "is_default" in each}

    assert marks() == {}
    assert marks(include_default=True) == {
        "general": True,
        "sandbox": True,
        "mine": False,
        "open": False,
    }


def test_booleans_must_be_booleans(ana):
    ana.get("/streams", include_public="yes").fails("include_public is not valid JSON")


def test_members_are_the_active_subscribers(chat, ana):
    mine = chat.channel("mine").id

    assert ana.id in ana.get(f"/streams/{mine}/members").succeeds()["subscribers"]


def test_an_id_is_found_by_name_regardless_of_case(chat, ana):
    found = ana.get("/get_stream_id", stream=" OPEN ").succeeds()["stream_id"]

    assert found == chat.channel("open").id
    ana.get("/get_stream_id", stream="shut").fails("Invalid channel name 'shut'")
    ana.get("/get_stream_id").fails("Missing 'stream' argument")


def test_visible_subscriptions_of_a_user_depend_on_the_caller(chat, ana):
    cook = chat.person("cook2", channels=["open", "shut"])
    admin = chat.person("admin", role="admin")
    open_, shut = chat.channel("open").id, chat.channel("shut").id

    def seen_by(who: Person) -> set[int]:
        found = who.get(f"/users/{cook.id}/channels").succeeds()["subscribed_channel_ids"]
        return set(found) & {open_, shut}

    assert seen_by(ana) == {open_}
    assert seen_by(admin) == {open_, shut}
    assert ana.get(f"/users/{cook.id}/subscriptions/{open_}").succeeds()["is_subscribed"] is True
    assert ana.get(f"/users/{ana.id}/subscriptions/{open_}").succeeds()["is_subscribed"] is False
    ana.get(f"/users/{cook.id}/subscriptions/{shut}").fails("Invalid channel ID")
    ana.get(f"/users/99999999/subscriptions/{open_}").fails("No such user")
    ana.get("/users/99999999/channels").fails("No such user")


def test_mail_addresses_differ_by_caller_and_sender_and_stay_the_same(chat, ana):
    cook = chat.person("cook2")
    bot = chat.person("bot", bot="generic", owner=ana)
    path = f"/streams/{chat.channel('open').id}/email_address"

    def address(who: Person, **params: int) -> str:
        found: str = who.get(path, **params).succeeds()["email"]
        return found

    found = [
        address(ana),
        address(cook),
        address(ana, sender_id=ana.id),
        address(ana, sender_id=bot.id),
    ]
    assert len(set(found)) == 4
    assert address(ana) == found[0]
    ana.get(path, sender_id=cook.id).fails("No such bot")
    cook.get(path, sender_id=bot.id).fails("No such bot")


# --- topics ---------------------------------------------------------------------------------------


def test_topics_are_listed_newest_first_in_their_newest_spelling(chat):
    ana = chat.person("ana", channels=["kitchen"])
    ben = chat.person("ben")
    ana.says("Soup", to="kitchen > Lunch")
    ana.says("Tea", to="kitchen > tea")
    lunch = ana.says("More soup", to="kitchen > lunch")
    empty = ana.says("Anything", to="kitchen > ")
    path = f"/users/me/{chat.channel('kitchen').id}/topics"

    topics = ben.get(path).succeeds()["topics"]

    assert [topic["name"] for topic in topics] == ["general chat", "lunch", "tea"]
    assert [topic["max_id"] for topic in topics[:2]] == [empty.id, lunch.id]
    named = ben.get(path, allow_empty_topic_name=True).succeeds()["topics"]
    assert named[0]["name"] == ""
    ben.get(path, allow_empty_topic_name="1").fails("allow_empty_topic_name is not a boolean")


def test_a_protected_history_shows_only_topics_since_subscribing(chat):
    ana, ben = chat.people("ana", "ben")
    ana.joins("vault", invite_only=True)
    ana.says("Before", to="vault > gold")
    ana.joins("vault", principals=[ben.id])
    ana.says("After", to="vault > silver")
    path = f"/users/me/{chat.channel('vault').id}/topics"

    def seen_by(who: Person) -> list[str]:
        return [topic["name"] for topic in who.get(path).succeeds()["topics"]]

    assert seen_by(ana) == ["silver", "gold"]
    assert seen_by(ben) == ["silver"]


# --- default channels and new users ---------------------------------------------------------------


def test_default_channels_are_reported_to_all_but_guests(chat, in_kitchen, admin):
    ben, gus = chat.person("ben"), chat.person("gus", role="guest")
    kitchen = chat.channel("kitchen").id
    bens, guses = ben.listens_for("default_streams"), gus.listens_for("default_streams")

    for _ in range(2):
        admin.post("/default_streams", stream_id=kitchen).succeeds()
    for _ in range(2):
        admin.delete("/default_streams", stream_id=kitchen).succeeds()

    received = [kitchen in event["default_streams"] for event in bens.all()]
    assert received == [True, False, False]
    assert guses.silent()
    registered = gus.registers(fetch_event_types=["default_streams"])
    assert registered["realm_default_streams"] == []


def test_private_channels_cannot_be_default_channels(chat, admin):
    admin.joins("vault", invite_only=True)
    ben = chat.person("ben")
    ben.joins("bens", invite_only=True)

    admin.post("/default_streams", stream_id=chat.channel("vault").id).fails(
        "Private channels cannot be made default."
    )
    admin.post("/default_streams", stream_id=chat.channel("bens").id).fails("Invalid channel ID")
    admin.post("/default_streams").fails("Missing 'stream_id' argument")
    admin.post("/default_streams", stream_id="kitchen").fails("stream_id is not valid JSON")


def test_new_users_find_twenty_unread_messages(chat):
    ana = chat.person("ana")
    sent = [ana.says(f"Number {number}", to="general > talk").id for number in range(23)]

    ben = chat.person("ben")

    mine = {each["name"] for each in ben.get("/users/me/subscriptions").succeeds()["subscriptions"]}
    assert mine == {"general", "sandbox"}
    unread = ben.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    assert unread["streams"][0]["unread_message_ids"] == sent[-20:]
    assert ben.sees(sent[0])["flags"] == ["read"]
    after = ana.says("One more", to="general > talk")
    assert ben.sees(after)["flags"] == []


def test_guests_and_bots_get_no_default_channels(chat):
    ana = chat.person("ana")
    for newcomer in (
        chat.person("gus", role="guest"),
        chat.person("bot", bot="generic", owner=ana),
    ):
        assert newcomer.get("/users/me/subscriptions").succeeds()["subscriptions"] == []


# --- traffic --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "recent, age_days, week",
    [
        (50, 6, None),
        (0, 7, 0),
        (50, 7, 50),
        (20, 14, 10),
        (400, 28, 100),
        (3, 100, 1),
        (4 * 1234, 365, 1200),
    ],
)
def test_weekly_traffic_is_an_average(recent, age_days, week):
    assert domain.channels.channel.average_week(recent, age_days) == week


def test_traffic_is_counted_for_channels_older_than_a_week(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    for _ in range(8):
        ana.says("Soup", to="kitchen > lunch")
    kitchen = chat.channel("kitchen").id
    chat.write(_age, kitchen, 14)
    queue = ben.listens_for("stream")

    assert chat.write(actions.channels.channel_stats.count, 100) == 4
    assert chat.write(actions.channels.channel_stats.count, 100) == 0

    shown = ben.get("/streams").succeeds()["streams"]
    weekly = {each["name"]: each["stream_weekly_traffic"] for each in shown}
    assert (weekly["kitchen"], weekly["garden"]) == (4, None)
    (event,) = queue.all()
    assert (event["property"], event["value"]) == ("stream_weekly_traffic", 4)


def test_events_about_a_channel_show_the_traffic_that_a_register_shows(chat):
    ana = chat.person("ana", channels=["kitchen"])
    ben = chat.person("ben")
    kitchen = chat.channel("kitchen").id
    chat.write(_age, kitchen, 14)
    for _ in range(8):
        ana.says("Soup", to="kitchen > lunch")
    chat.write(actions.channels.channel_stats.count, 100)
    queue = ben.listens_for("subscription", "stream")

    ben.post("/users/me/subscriptions", subscriptions=[{"name": "kitchen"}]).succeeds()
    ana.patch(f"/streams/{kitchen}", is_private=True).succeeds()

    (added,) = [each for each in queue.all() if each["op"] == "add"]
    assert added["subscriptions"][0]["stream_weekly_traffic"] == 4
    late = chat.person("cleo")
    queue = late.listens_for("subscription", "stream")
    ana.post(
        "/users/me/subscriptions", subscriptions=[{"name": "kitchen"}], principals=[late.id]
    ).succeeds()
    created, added = [each for each in queue.all() if each["op"] in ("create", "add")]
    assert created["streams"][0]["stream_weekly_traffic"] == 4
    assert added["subscriptions"][0]["stream_weekly_traffic"] == 4


def test_a_silent_channel_becomes_inactive_and_active_again(chat):
    ana = chat.person("ana", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id
    chat.write(_age, kitchen, 200)
    queue = ana.listens_for("stream")

    chat.write(actions.channels.channel_stats.count, 100)
    ana.says("Hello?", to="kitchen > lunch")

    received = [(event["property"], event["value"]) for event in queue.all()]
    assert received == [
        ("stream_weekly_traffic", 0),
        ("is_recently_active", False),
        ("is_recently_active", True),
    ]


def test_the_position_of_a_date_is_found_in_a_few_queries(chat):
    ana = chat.person("ana", channels=["kitchen"])
    sent = [ana.says(f"{number}", to="kitchen > lunch").id for number in range(9)]
    chat.write(_spread, sent)

    for number in range(9):
        assert chat.read(storage.messages.table.last_before, 1000 + number + 0.5) == sent[number]
    assert chat.read(storage.messages.table.last_before, 500) < sent[0]


def _age(tx: Tx, channel_id: int, days: int) -> None:
    tx.execute(
        "UPDATE channel SET created_at = :then WHERE id = :id",
        then=tx.now - days * 86_400,
        id=channel_id,
    )


def _spread(tx: Tx, message_ids: list[int]) -> None:
    for number, message_id in enumerate(message_ids):
        tx.execute(
            "UPDATE message SET sent_at = :at WHERE id = :id", at=1000 + number, id=message_id
        )
