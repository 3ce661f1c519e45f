"""GET /messages: a range of history around an anchor, or messages by id."""

from datetime import UTC, datetime

import pytest

from tertulia import actions, storage
from tertulia.http.exchange import BLOCK_BYTES
from tertulia.http.replies import MAX_JOINED_PIECES

NEWEST = 10_000_000_000_000_000
FLAGS = ("found_anchor", "found_oldest", "found_newest")


def fetches(person, **params):
    return person.get("/messages", **params)


def ids_of(answer) -> list[int]:
    return [each["id"] for each in answer["messages"]]


def found(answer) -> tuple[bool, ...]:
    return tuple(answer[name] for name in FLAGS)


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture
def ids(ana):
    """Of seven messages that Ana has sent to the kitchen."""
    return [ana.says(f"{n}", to="kitchen > count", read_by_sender=True).id for n in range(1, 8)]


# --- the anchor ---


def test_the_anchor_newest(ana, ids):
    some = fetches(ana, anchor="newest", num_before=3, num_after=0).succeeds()
    all_ = fetches(ana, anchor="newest", num_before=100).succeeds()

    assert (ids_of(some), found(some)) == (ids[-3:], (False, False, True))
    assert (ids_of(all_), found(all_)) == (ids, (False, True, True))
    assert some["anchor"] == NEWEST
    assert some["history_limited"] is False


def test_the_anchor_oldest(ana, ids):
    some = fetches(ana, anchor="oldest", num_before=0, num_after=2).succeeds()
    all_ = fetches(ana, anchor="oldest", num_after=100).succeeds()

    assert (ids_of(some), found(some)) == (ids[:2], (False, True, False))
    assert (ids_of(all_), found(all_)) == (ids, (False, True, True))
    assert some["anchor"] == 0


def test_messages_around_an_anchor(ana, ids):
    some = fetches(ana, anchor=ids[3], num_before=1, num_after=2).succeeds()
    wide = fetches(ana, anchor=ids[3], num_before=10, num_after=10).succeeds()

    assert (ids_of(some), found(some)) == (ids[2:6], (True, False, False))
    assert (ids_of(wide), found(wide)) == (ids, (True, True, True))
    assert some["anchor"] == ids[3]


def test_a_full_answer_does_not_say_that_the_end_was_found(ana, ids):
    response = fetches(ana, anchor=ids[3], num_before=3, num_after=3).succeeds()

    assert (ids_of(response), found(response)) == (ids, (True, False, False))


def test_the_anchor_may_be_left_out_at_an_end(ana, ids):
    after = fetches(ana, anchor=ids[3], num_after=2, include_anchor=False).succeeds()
    before = fetches(ana, anchor=ids[3], num_before=2, include_anchor=False).succeeds()
    middle = fetches(ana, anchor=ids[3], num_before=1, num_after=1, include_anchor=False)

    assert (ids_of(after), after["found_anchor"]) == (ids[4:6], False)
    assert (ids_of(before), before["found_anchor"]) == (ids[1:3], False)
    middle.fails("The anchor can only be excluded at an end of the range")


def test_an_anchor_without_a_message_is_between_its_neighbours(chat, ana, ids):
    ben = chat.person("ben")
    gap = ben.says("elsewhere", to=[ben]).id
    last = ana.says("8", to="kitchen > count").id

    response = fetches(ana, anchor=gap, num_before=1, num_after=1).succeeds()

    assert (ids_of(response), found(response)) == ([ids[-1], last], (False, False, False))


def test_the_anchor_message_alone(ana, ids):
    response = fetches(ana, anchor=ids[0]).succeeds()

    assert (ids_of(response), found(response)) == ([ids[0]], (True, False, False))


@pytest.mark.parametrize(
    "anchor, used",
    [("-5", 0), ("0", 0), (str(NEWEST), NEWEST), (str(2**63), NEWEST), ("9" * 400, NEWEST)],
)
def test_an_anchor_beyond_the_ends_is_the_end(ana, ids, anchor, used):
    response = fetches(ana, anchor=anchor, num_before=10, num_after=10).succeeds()

    assert (response["anchor"], ids_of(response)) == (used, ids)


@pytest.mark.parametrize(
    "params, msg",
    [
        ({}, "Missing 'anchor' argument."),
        ({"anchor": "soon"}, "Invalid anchor"),
        ({"anchor": "1.5"}, "Invalid anchor"),
        ({"anchor": ""}, "Invalid anchor"),
        ({"anchor": "²"}, "Invalid anchor"),
        ({"anchor": "date"}, "Missing 'anchor_date' argument."),
        (
            {"anchor": "date", "anchor_date": "yesterday"},
            "anchor_date is not an ISO 8601 datetime string",
        ),
        ({"anchor": "newest", "num_before": -1}, "num_before is too small"),
        ({"anchor": "newest", "num_after": "x"}, "num_after is not valid JSON"),
        (
            {"anchor": "newest", "num_before": 2500, "num_after": 2501},
            "Too many messages requested (maximum 5000).",
        ),
        ({"anchor": "newest", "num_before": 2**63}, "num_before is too large"),
    ],
)
def test_invalid_ranges_are_refused(chat, params, msg):
    fetches(chat.person("ana"), **params).fails(msg)


def test_the_maximum_number_is_accepted(ana, ids):
    response = fetches(ana, anchor="newest", num_before=5000, num_after=0).succeeds()

    assert ids_of(response) == ids


# --- by date ---


def test_anchor_by_date(chat):
    ana = chat.person("ana", channels=["kitchen"])
    first = ana.says("today", to="kitchen > diary").id
    chat.server.clock.move(hours=2)
    second = ana.says("two hours later", to="kitchen > diary").id

    def anchor_at(moment: str) -> int:
        response = fetches(ana, anchor="date", anchor_date=moment).succeeds()
        return int(response["anchor"])

    def hours_ago(hours: float, zone: str = "+00:00") -> str:
        then = datetime.fromtimestamp(chat.server.clock() - hours * 3600, UTC)
        return then.strftime("%Y-%m-%dT%H:%M:%S") + zone

    assert anchor_at(hours_ago(5)) == first
    assert anchor_at(hours_ago(1)) == second
    assert anchor_at(hours_ago(1, zone="")) == second
    assert anchor_at(hours_ago(1, zone="Z")) == second
    assert anchor_at(hours_ago(-1)) == second
    assert anchor_at("0001-01-01T00:00:00") == first
    assert anchor_at("9999-12-31T23:59:59-12:00") == second


def test_anchor_by_a_date_without_messages(chat):
    response = fetches(chat.person("ana"), anchor="date", anchor_date="2024-01-01").succeeds()

    assert (response["anchor"], response["messages"]) == (NEWEST, [])


# --- first unread ---


def test_the_anchor_first_unread(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    ben.says("mine", to="kitchen > lunch", read_by_sender=True)
    first = ana.says("yours", to="kitchen > lunch").id
    ana.says("more", to="kitchen > lunch")

    for params in ({"anchor": "first_unread"}, {"use_first_unread_anchor": True, "anchor": 0}):
        response = fetches(ben, num_before=1, num_after=1, **params).succeeds()

        assert (response["anchor"], response["found_anchor"]) == (first, True)
        assert len(response["messages"]) == 3


def test_without_unread_messages_the_anchor_is_the_newest(ana, ids):
    response = fetches(ana, anchor="first_unread", num_before=2, num_after=2).succeeds()

    assert (response["anchor"], ids_of(response)) == (NEWEST, ids[-2:])
    assert found(response) == (False, False, True)


def test_the_first_unread_is_searched_within_the_narrow(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "garden"])
    ana.says("x", to="kitchen > lunch")
    rose = ana.says("y", to="garden > roses").id
    narrow = [{"operator": "channel", "operand": "garden"}]

    response = fetches(ben, anchor="first_unread", num_after=5, narrow=narrow).succeeds()

    assert (response["anchor"], ids_of(response)) == (rose, [rose])


def test_asking_for_the_first_unread_updates_the_bitmap(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    ids = chat.fill(ana, "kitchen > count", actions.messages.read_state.CATCH_UP_AFTER + 1)

    plain = fetches(ben, anchor="newest", num_before=2).succeeds()
    before = chat.read(storage.messages.unread.stored, ben.id).caught_up_to
    first = fetches(ben, anchor="first_unread").succeeds()
    requested = fetches(ben, anchor="newest", num_before=2, narrow=[["is", "unread"]]).succeeds()

    assert [message["flags"] for message in plain["messages"]] == [[], []]
    assert (first["anchor"], ids_of(requested)) == (ids[0], ids[-2:])
    after = chat.read(storage.messages.unread.stored, ben.id).caught_up_to
    assert (before < ids[-1], after) == (True, ids[-1])


# --- by ids ---


def test_messages_by_id(chat, ana, ids):
    foreign = chat.person("ben").says("secret", to=[chat.person("cleo")]).id
    wanted = [ids[5], foreign, 987_654_321, -1, 2**70, ids[0], ids[0]]

    response = fetches(ana, message_ids=wanted).succeeds()

    assert (ids_of(response), found(response)) == ([ids[0], ids[5]], (False, False, False))
    assert "anchor" not in response


def test_messages_by_id_within_a_narrow(chat, ana, ids):
    note = ana.says("note", to=[ana]).id

    response = fetches(ana, message_ids=[ids[0], note], narrow=[["is", "dm"]]).succeeds()

    assert ids_of(response) == [note]


@pytest.mark.parametrize("params", [{"anchor": "newest"}, {"num_before": 1}, {"num_after": 1}])
def test_ids_and_an_anchor_exclude_each_other(chat, params):
    reply = fetches(chat.person("ana"), message_ids=[1], **params)

    response = reply.fails(
        "Unsupported parameter combination: num_before, num_after, anchor, message_ids,"
        " include_anchor, use_first_unread_anchor"
    )
    assert "message_ids" in response["parameters"]


# --- the form ---


def test_content_is_source_or_html(ana, ids):
    source = fetches(ana, anchor=ids[0], apply_markdown=False).succeeds()["messages"][0]
    html = fetches(ana, anchor=ids[0]).succeeds()["messages"][0]

    assert (source["content"], source["content_type"]) == ("1", "text/x-markdown")
    assert (html["content"], html["content_type"]) == ("<p>1</p>", "text/html")


def test_the_empty_topic_has_a_name_for_older_clients(chat):
    ana = chat.person("ana", channels=["kitchen"])
    note = ana.says("x", to="kitchen > ").id

    older = fetches(ana, anchor=note).succeeds()["messages"][0]
    newer = fetches(ana, anchor=note, allow_empty_topic_name=True).succeeds()["messages"][0]

    assert (older["subject"], newer["subject"]) == ("general chat", "")


def test_a_large_answer_is_complete(chat):
    ana = chat.person("ana", channels=["kitchen"])
    ids = chat.fill(ana, "kitchen > lunch", 600)

    response = ana.raw("GET", "/api/v1/messages?anchor=newest&num_before=600&num_after=0")

    assert len(ids) * 2 > MAX_JOINED_PIECES
    assert len(response.body) > 2 * BLOCK_BYTES
    assert response.headers["Content-Length"] == str(len(response.body))
    assert [each["id"] for each in response.json["messages"]] == ids
