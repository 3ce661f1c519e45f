"""Narrows: what every term and its negation find, and invalid ones."""

import random
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.laws.narrow_model import any_narrow
from tests.support.files import uploads
from tests.support.narrows import term

from tertulia import actions, domain
from tertulia.domain.messages.narrow import OPERATORS

NEWEST = 10_000_000_000_000_000


ROOT = Path(__file__).parents[3]


class Library:
    """Messages by keyword, and which of them a reader finds."""

    def __init__(self, chat, reader, says) -> None:
        self.chat, self.reader = chat, reader
        self.ids = {word: author.says(text, to=to).id for word, author, to, text in says}
        self.words = {number: word for word, number in self.ids.items()}

    def read(self, answer) -> str:
        return " ".join(self.words[each["id"]] for each in answer.succeeds()["messages"])

    def found(self, *narrow, by=None) -> str:
        reader = by or self.reader
        params = {"anchor": "newest", "num_before": 50, "narrow": list(narrow)}
        return self.read(reader.get("/messages", **params))

    def fails(self, narrow, msg, **more):
        return self.reader.get("/messages", anchor="newest", narrow=narrow).fails(msg, **more)

    def flag(self, words, flag, op="add"):
        ids = [self.ids[word] for word in words.split()]
        self.reader.post("/messages/flags", messages=ids, op=op, flag=flag).succeeds()

    def policy(self, channel, topic, policy):
        fields = {"stream_id": self.chat.channel(channel).id, "topic": topic}
        self.reader.post("/user_topics", visibility_policy=policy, **fields).succeeds()

    def mute_channel(self, channel, value=True):
        wish = {"stream_id": self.chat.channel(channel).id, "property": "is_muted", "value": value}
        path = "/users/me/subscriptions/properties"
        self.reader.post(path, subscription_data=[wish]).succeeds()


MUTED, UNMUTED, FOLLOWED = 1, 2, 3
QUIET = {
    "automatically_follow_topics_policy": 4,
    "automatically_unmute_topics_in_muted_streams_policy": 4,
    "automatically_follow_topics_where_mentioned": False,
}


@pytest.fixture
def library(chat) -> Library:
    """Ben reads messages of Ana, Eve and himself in several places."""
    ana, ben, eve = chat.people("ana", "ben", "eve", channels=["kitchen", "garden"], settings=QUIET)
    ana.joins("attic", principals=[ana.id, eve.id])
    ben.post("/users/me/alert_words", alert_words=["smoke"]).succeeds()
    says = [
        ("soup", ana, "kitchen > Lunch", "soup"),
        ("bread", ben, "kitchen > LUNCH", "bread, see https://example.com/loaf"),
        ("tea", eve, "kitchen > four o'clock", "tea for @**Ben**"),
        ("roses", ana, "garden > lunch", "https://example.com/roses.png"),
        ("weeds", eve, "garden > ✔ weeds", "@**all** weeds"),
        ("nothing", ana, "garden > ", "smoke, or nothing"),
        ("dust", eve, "attic > Lunch", uploads(eve, "dust.txt").link),
        ("hello", ana, [ben], "hello"),
        ("trio", eve, [ana, ben], f"@**Ana** and I, {uploads(eve, 'list.txt').link}"),
        ("note", ben, [ben], "note"),
        ("secret", ana, [eve], "secret for @**Eve**"),
    ]
    return Library(chat, ben, says)


FEED = "soup bread tea roses weeds nothing hello trio note"
WITH_DUST = "soup bread tea roses weeds nothing dust hello trio note"  # kept by a reaction

TERMS = [
    ("channel", "KITCHEN", "soup bread tea"),
    ("stream", "kitchen", "soup bread tea"),
    ("channels", "archived", ""),
    ("topic", "lunch", "soup bread roses dust"),
    ("topic", "general chat", "nothing"),
    ("topic", "", "nothing"),
    ("is", "dm", "hello trio note"),
    ("is", "private", "hello trio note"),
    ("is", "starred", "tea hello"),
    ("is", "unread", "soup tea roses weeds hello trio note"),
    ("is", "mentioned", "tea weeds"),
    ("is", "alerted", "nothing"),
    ("is", "resolved", "weeds"),
    ("is", "followed", "soup bread"),
    ("is", "muted", "tea weeds nothing"),
    ("has", "link", "bread roses dust trio"),
    ("has", "image", "roses"),
    ("has", "attachment", "dust trio"),
    ("has", "reaction", "soup dust trio"),
    ("in", "home", "soup bread roses dust hello trio note"),
    ("in", "all", WITH_DUST),
]


def test_every_term_and_its_negation(library):
    ben = library.reader
    library.flag("tea hello", "starred")
    library.flag("nothing bread", "read")
    library.policy("kitchen", "lunch", FOLLOWED)
    library.policy("kitchen", "four o'clock", MUTED)
    library.mute_channel("garden")
    library.policy("garden", "LUNCH", UNMUTED)
    for word in ("soup", "trio", "dust"):
        path = f"/messages/{library.ids[word]}/reactions"
        ben.post(path, emoji_name="tada").succeeds()

    assert library.found() == WITH_DUST
    for operator, operand, expected in TERMS:
        opposite = library.found(term(operator, operand, negated=True))
        assert library.found([operator, operand]) == expected, (operator, operand)
        others = [word for word in WITH_DUST.split() if word not in expected.split()]
        assert opposite.split() == others, (operator, operand, "negated")


def test_terms_with_dates_follow_the_time_zone_of_the_user(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    clock = own_chat.server.clock
    clock.stop()
    clock.move(seconds=datetime(2030, 3, 1, 23, 30, tzinfo=UTC).timestamp() - clock())
    ana.says("evening", to="kitchen > diary")
    clock.move(hours=2)
    ana.says("night", to="kitchen > diary")

    def found(operator: str, operand: str, *, negated: bool = False) -> list[str]:
        narrow = [term(operator, operand, negated=negated), ["channel", "kitchen"]]
        response = ana.get("/messages", anchor="newest", num_before=9, narrow=narrow).succeeds()
        return [re.sub("<[^>]*>", "", each["content"]) for each in response["messages"]]

    assert found("before", "2030-03-02") == ["evening"]
    assert found("after", "2030-03-02") == ["night"]
    assert found("after", "2030-03-02", negated=True) == ["evening"]
    assert found("after", "2030-03-01") == ["evening", "night"]
    assert found("before", "2030-03-02T01:00:00Z") == ["evening"]
    assert found("after", "2030-03-02T02:29:00+01:00") == ["night"]
    ana.patch("/settings", timezone="America/New_York").succeeds()
    assert found("before", "2030-03-02") == ["evening", "night"]
    ana.patch("/settings", timezone="Europe/Madrid").succeeds()
    assert found("after", "2030-03-02") == ["evening", "night"]


@pytest.mark.parametrize("operand", ["yesterday", "2030-02-30", "", "9" * 30, "2030-01-01T25:00"])
def test_a_date_that_is_none_is_refused(library, operand):
    reason = f"unknown date {operand}, expected YYYY-MM-DD"
    library.fails([["before", operand]], f"Invalid narrow operator: {reason}", code="BAD_NARROW")


def test_terms_with_users_and_messages(library):
    chat, ben, ids = library.chat, library.reader, library.ids
    ana, eve = (chat.read(_user_id, f"{name}@example.com") for name in ("ana", "eve"))
    kitchen = chat.channel("kitchen").id

    for operator, operand, expected in [
        ("channel", kitchen, "soup bread tea"),
        ("sender", ana, "soup roses nothing hello"),
        ("sender", f"user{ana}@tertulia.invalid", "soup roses nothing hello"),
        ("dm", [ana], "hello"),
        ("dm", [ana, ben.id], "hello"),
        ("dm", [eve, ana], "trio"),
        ("dm", [ben.id], "note"),
        ("dm", [eve], ""),
        ("dm", [], ""),
        ("dm", f"user{ana}@tertulia.invalid,  user{eve}@tertulia.invalid", "trio"),
        ("pm-with", f"user{ana}@tertulia.invalid", "hello"),
        ("pm_with", f"user{ana}@tertulia.invalid, {ben.api_email}", "hello"),
        ("dm-including", ana, "hello trio"),
        ("dm-including", f"user{eve}@tertulia.invalid", "trio"),
        ("dm-including", ben.id, "hello trio note"),
        ("group-pm-with", ana, "hello trio"),
        ("group_pm_with", ana, "hello trio"),
        ("id", ids["tea"], "tea"),
        ("id", str(ids["tea"]), "tea"),
        ("id", ids["secret"], ""),
        ("id", 2**70, ""),
        ("id", "9" * 400, ""),
        ("mentions", ben.id, "tea"),
        ("mentions", ana, "trio"),
        ("mentions", eve, ""),
    ]:
        found = library.found(term(operator, operand))
        opposite = library.found(term(operator, operand, negated=True))
        assert found == expected, (operator, operand)
        others = [word for word in FEED.split() if word not in expected.split()]
        assert opposite.split() == others, (operator, operand, "negated")

    assert library.found(["near", str(ids["tea"])]) == FEED
    assert library.found(term("near", "x", negated=True)) == FEED
    assert library.found(["channel", "kitchen"], ["topic", "lunch"], term("sender", ana)) == "soup"
    both = [term("sender", ana, negated=True), term("is", "dm", negated=True), ["has", "link"]]
    assert library.found(*both) == "bread"
    assert library.found({**term("sender", ana), "colour": "red"}) == "soup roses nothing hello"


def _user_id(tx, email):
    return tx.value(
        "SELECT id AS value FROM account WHERE realm_id = :realm AND email = :email",
        realm=tx.realm_id,
        email=email,
    )


def test_the_scope_of_a_narrow(library):
    """Unreceived messages are included only where a term names an open channel."""
    chat = library.chat
    ana = chat.read(_user_id, "ana@example.com")
    admin = chat.person("admin", role="admin")
    admin.joins("cellar", invite_only=True)
    library.words[admin.says("gold", to="cellar > lunch").id] = "gold"
    gus = chat.person("gus", role="guest", channels=["garden"])
    ida = chat.person("ida", channels=["garden"])
    library.words[ida.says("late", to="garden > lunch").id] = "late"
    past = "roses weeds nothing"

    assert library.found(["topic", "lunch"], by=ida) == "late"
    assert library.found(["stream", "garden"], by=ida) == f"{past} late"
    assert library.found(["stream", "garden"], ["is", "resolved"], by=ida) == "weeds"
    assert (
        library.found(["stream", "garden"], term("is", "starred", negated=True), by=ida) == "late"
    )
    assert library.found(term("channel", "attic", negated=True), by=ida) == "late"
    everywhere = "soup bread tea roses weeds nothing dust late"
    assert library.found(["channels", "public"], by=ida) == everywhere
    assert library.found(["streams", "public"], ["topic", "Lunch"], by=ida) == (
        "soup bread roses dust late"
    )
    assert library.found(["channels", "public"], ["has", "attachment"], by=ida) == "dust"
    assert (
        library.found(["channels", "public"], term("sender", ana), by=ida) == "soup roses nothing"
    )
    assert library.found(["channels", "public"], ["in", "home"], by=ida) == everywhere
    assert library.found(["channels", "public"], term("is", "dm", negated=True), by=ida) == "late"
    assert library.found(term("channels", "public", negated=True), by=ida) == ""
    assert library.found(["channels", "web-public"], by=ida) == ""
    assert library.found(["stream", "cellar"], by=admin) == "gold"

    assert library.found(["stream", "garden"], by=gus) == f"{past} late"
    assert library.found(["channels", "public"], by=gus) == f"{past} late"
    root = chat.person("root", role="owner")
    assert library.found(["stream", "cellar"], by=root) == ""

    admin.delete(f"/streams/{chat.channel('garden').id}").succeeds()
    assert library.found(["channels", "archived"], by=ida) == "late"


def test_kept_messages_are_hidden_once_the_history_is_protected(chat, ana, ben):
    ana.joins("cellar", invite_only=True, history_public_to_subscribers=True)
    gold = ana.says("gold", to="cellar > x").id
    ana.joins("cellar", principals=[ben.id], send_new_subscription_messages=False)
    ben.post("/messages/flags", messages=[gold], op="add", flag="starred").succeeds()
    before = ben.get("/messages", anchor="newest", num_before=9).succeeds()["messages"]

    path = f"/streams/{chat.channel('cellar').id}"
    ana.patch(path, is_private=True, history_public_to_subscribers=False).succeeds()

    assert [message["id"] for message in before] == [gold]
    ben.get(f"/messages/{gold}").fails("Invalid message(s)")
    for narrow in ([], [["is", "starred"]], [["stream", "cellar"]]):
        shown = ben.get("/messages", anchor="newest", num_before=9, narrow=narrow).succeeds()
        assert gold not in [message["id"] for message in shown["messages"]]
    window = {"anchor": "newest", "num_before": 9, "num_after": 0, "narrow": []}
    ben.post("/messages/flags/narrow", op="add", flag="collapsed", **window).succeeds()


# --- with ---


def test_the_operator_with_follows_a_moved_message(library):
    ids, ben = library.ids, library.reader
    elsewhere = [["stream", "attic"], ["topic", "elsewhere"]]

    assert library.found(term("with", ids["soup"])) == "soup bread"
    assert library.found(*elsewhere, term("with", str(ids["soup"]))) == "soup bread"
    assert library.found(["dm", ben.api_email], term("with", ids["soup"])) == "soup bread"
    assert library.found(["stream", "kitchen"], term("with", ids["soup"], negated=True)) == (
        "soup bread"
    )
    assert library.found(term("with", ids["soup"]), ["has", "link"]) == "bread"
    assert library.found(term("with", ids["hello"])) == "hello"
    assert library.found(term("with", ids["trio"]), *elsewhere) == "trio"
    for hidden in (ids["secret"], 99_999_999, 2**70):
        there = [["stream", "kitchen"], ["topic", "lunch"]]
        assert library.found(*there, term("with", hidden)) == "soup bread"
        assert library.found(["dm", ben.api_email], term("with", hidden)) == "note"
        for half in ([], [["stream", "kitchen"]], [["topic", "lunch"]]):
            response = library.fails(
                [*half, term("with", hidden)],
                "Invalid narrow operator: Invalid 'with' operator",
                code="BAD_NARROW",
            )
            assert response["desc"] == "Invalid 'with' operator"


# --- invalid narrows ---


def test_contradictory_narrows_are_refused(chat):
    library = Library(chat, chat.person("ana", channels=["kitchen"]), [])
    for narrow, desc in [
        ([["colour", "red"]], "unknown operator colour"),
        ([["channel", "attic"]], "unknown channel attic"),
        ([["channel", ""]], "unknown channel "),
        ([term("channel", 987_654)], "unknown channel 987654"),
        ([term("channel", 2**70)], f"unknown channel {2**70}"),
        ([["channels", "secret"]], "unknown channels operand secret"),
        ([["sender", "me"]], "unknown user me"),
        ([["sender", "nobody@example.com"]], "unknown user nobody@example.com"),
        ([term("sender", 987_654)], "unknown user 987654"),
        ([term("sender", -(2**70))], f"unknown user {-(2**70)}"),
        ([["dm", "nobody@example.com"]], "unknown user in nobody@example.com"),
        ([["dm", ""]], "unknown user in "),
        ([term("dm", [987_654])], "unknown user in [987654]"),
        ([term("dm-including", 987_654)], "unknown user 987654"),
        ([term("mentions", 987_654)], "unknown user 987654"),
        ([["is", "green"]], "unknown 'is' operand green"),
        ([["has", "legs"]], "unknown 'has' operand legs"),
        ([["in", "bed"]], "unknown 'in' operand bed"),
        ([["id", "seven"]], "Invalid message ID"),
        ([["id", "²"]], "Invalid message ID"),
        ([["with", "seven"]], "Invalid 'with' operator"),
    ]:
        response = library.fails(narrow, f"Invalid narrow operator: {desc}", code="BAD_NARROW")
        assert response["desc"] == desc

    both = "No message can be both a channel message and direct message"
    for direct in (term("dm", []), term("dm-including", library.reader.id), term("is", "private")):
        for channel in (
            ["channel", "kitchen"],
            ["streams", "public"],
            ["topic", "lunch"],
            ["is", "resolved"],
            ["is", "followed"],
        ):
            library.fails([direct, channel], f"Invalid narrow operator: {both}", code="BAD_NARROW")
            assert library.found({**direct, "negated": True}, channel) == ""
    twice = library.fails(
        [["with", "1"], ["with", "2"]],
        "Invalid narrow operator combination: Duplicate 'with' operators.",
        code="BAD_NARROW",
    )
    assert twice["desc"] == "Duplicate 'with' operators."


def test_malformed_narrows_are_refused(chat):
    library = Library(chat, chat.person("ana"), [])
    error = "Invalid narrow[0]: Value error"
    for narrow, msg in [
        ("nonsense", "narrow is not valid JSON"),
        ({"operator": "is"}, "narrow is not a list"),
        ([["is", "dm"]] * 101, "narrow is too long (limit: 100 items)"),
        ([5], f"{error}, dict or list required"),
        ([["is"]], f"{error}, element is not a string pair"),
        ([["is", 5]], f"{error}, element is not a string pair"),
        ([["is", "dm", "x"]], f"{error}, element is not a string pair"),
        ([{"operand": "dm"}], f"{error}, operator is missing"),
        ([{"operator": None, "operand": "dm"}], f"{error}, operator is missing"),
        ([{"operator": "is"}], f"{error}, operand is missing"),
        ([term("is", None)], f"{error}, operand is missing"),
        ([term(5, "dm")], 'narrow[0]["operator"] is not a string'),
        (
            [["is", "dm"], term("topic", "x", negated="yes")],
            'narrow[1]["negated"] is not a boolean',
        ),
        ([term("topic", "x", negated=None)], 'narrow[0]["negated"] is not a boolean'),
        ([term("search", "")], "operand cannot be blank."),
        ([["search", "  "]], "operand cannot be blank."),
        ([term("search", 5)], "operand is not a string"),
        ([term("dm", 5)], "operand is not a string or an integer list"),
        ([term("dm", ["x@example.com"])], "operand[0] is not an integer"),
        ([term("dm", [1, True])], "operand[1] is not an integer"),
        ([term("dm", list(range(1001)))], "Too many recipients (limit: 1000)"),
    ]:
        library.fails(narrow, msg, code="BAD_REQUEST")
    numbers: tuple[Any, ...] = ([5], {}, True, 1.5)
    for operator in ("topic", "near", "is", "has", "in", "channels", "colour"):
        for operand in (5, *numbers):
            library.fails([term(operator, operand)], "operand is not a string", code="BAD_REQUEST")
    for operator in ("channel", "stream", "sender", "dm-including", "mentions", "id", "with"):
        for operand in numbers:
            msg = "operand is not a string or integer"
            library.fails([term(operator, operand)], msg, code="BAD_REQUEST")


def test_all_searches_of_a_narrow_share_one_limit_of_words(chat):
    library = Library(chat, chat.person("ana"), [])
    negated = [{**term("search", f"word{number}"), "negated": True} for number in range(100)]

    assert library.found(*negated) == ""
    refused = "Invalid narrow operator: too many words in search (limit: 100)"
    library.fails([*negated[1:], term("search", "two words")], refused, code="BAD_NARROW")
    library.fails(
        [*negated[1:], {**term("search", "two words"), "negated": True}], refused, code="BAD_NARROW"
    )


# --- the first unread ---


def test_the_first_unread_is_not_searched_in_muted_topics(library):
    def first(*narrow):
        params = {"anchor": "first_unread", "narrow": list(narrow)}
        anchor = library.reader.get("/messages", **params).succeeds()["anchor"]
        return library.words.get(anchor, anchor)

    library.policy("kitchen", "lunch", MUTED)
    assert first() == "tea"
    library.mute_channel("kitchen")
    assert first() == "roses"
    assert first(["stream", "kitchen"]) == "tea"
    assert first(["stream", "kitchen"], ["topic", "lunch"]) == "soup"
    library.policy("kitchen", "four o'clock", UNMUTED)
    assert first() == "tea"
    library.mute_channel("garden")
    assert first(["topic", "lunch"]) == NEWEST
    assert first(["is", "dm"]) == "hello"
    assert first(["sender", library.reader.api_email]) == "note"


# --- matches_narrow ---


def test_matching_messages_are_reported(library):
    ben, ids = library.reader, library.ids
    path = "/messages/matches_narrow"

    def matching(*narrow, by=ben, among=tuple(ids.values())):
        params = {"msg_ids": [*among, 99_999_999, -1, 2**70], "narrow": list(narrow)}
        return by.get(path, **params).succeeds()["messages"]

    def words(*narrow, **more):
        return " ".join(library.words[int(each)] for each in matching(*narrow, **more))

    assert words() == FEED
    assert words(["stream", "kitchen"]) == "soup bread tea"
    assert words(["stream", "kitchen"], among=[ids["tea"], ids["hello"]]) == "tea"
    assert words(["channels", "public"]) == "soup bread tea roses weeds nothing"
    assert words(["stream", "attic"]) == ""
    assert words(term("with", ids["soup"])) == "soup bread"
    assert words(term("is", "dm", negated=True), ["has", "link"]) == "bread roses"
    assert ben.get(path, msg_ids=[], narrow=[]).succeeds()["messages"] == {}
    escaped = ben.says("5 < 6", to="kitchen > <b>&").id
    assert matching(among=[escaped, ids["nothing"]]) == {
        str(ids["nothing"]): {"match_content": "<p>smoke, or nothing</p>", "match_subject": ""},
        str(escaped): {"match_content": "<p>5 &lt; 6</p>", "match_subject": "&lt;b&gt;&amp;"},
    }
    library.flag("dust", "starred")
    assert words(["stream", "attic"]) == "dust"

    refused: list[tuple[dict[str, Any], str]] = [
        ({"narrow": []}, "Missing 'msg_ids' argument"),
        ({"msg_ids": []}, "Missing 'narrow' argument"),
        ({"msg_ids": 5, "narrow": []}, "msg_ids is not a list"),
        ({"msg_ids": ["a"], "narrow": []}, "msg_ids[0] is not an integer"),
        ({"msg_ids": [1], "narrow": [5]}, "Invalid narrow[0]: Value error, dict or list required"),
    ]
    for params, msg in refused:
        ben.get(path, **params).fails(msg)
    unknown = ben.get(path, msg_ids=[1], narrow=[["channel", "hall"]])
    unknown.fails("Invalid narrow operator: unknown channel hall", code="BAD_NARROW")
    stranger = library.chat.stranger.get(path, msg_ids=[1], narrow=[])
    stranger.asks_to_log_in()


# --- flags for a narrow ---


def test_flags_for_a_range_of_a_narrow(library):
    ben, ids, chat = library.reader, library.ids, library.chat
    path = "/messages/flags/narrow"
    queue = ben.listens_for("update_message_flags")

    def marks(op, flag, *narrow, **window):
        window = {"anchor": "newest", "num_before": 0, "num_after": 0, **window}
        response = ben.post(path, op=op, flag=flag, narrow=list(narrow), **window).succeeds()
        (polled,) = queue.all()
        assert (polled["op"], polled["flag"], polled["all"]) == (op, flag, False)
        received = " ".join(library.words[each] for each in polled["messages"])
        assert response["updated_count"] == len(polled["messages"])
        ends = (response["first_processed_id"], response["last_processed_id"])
        first, last = (library.words.get(each) for each in ends)
        reach = (response["found_oldest"], response["found_newest"])
        ignored = response["ignored_because_not_subscribed_channels"]
        return received, (response["processed_count"], first, last), reach, ignored

    kitchen = ["stream", "kitchen"]
    whole = marks("add", "read", kitchen, anchor="oldest", num_after=100)
    again = marks("add", "read", kitchen, anchor="oldest", num_after=100)
    assert whole == ("soup bread tea", (3, "soup", "tea"), (True, True), [])
    assert again == ("", (3, "soup", "tea"), (True, True), [])

    around = {"anchor": ids["bread"], "num_before": 1, "num_after": 1}
    assert marks("add", "starred", kitchen, **around) == (
        "soup bread tea",
        (3, "soup", "tea"),
        (False, False),
        [],
    )
    after = {"anchor": ids["bread"], "num_after": 1, "include_anchor": False}
    assert marks("remove", "starred", kitchen, **after) == (
        "tea",
        (1, "tea", "tea"),
        (False, False),
        [],
    )
    nothing = marks("add", "read", kitchen, ["topic", "spoons"], num_before=10)
    assert nothing == ("", (0, None, None), (True, True), [])
    first = marks("add", "collapsed", anchor="first_unread", num_after=1)
    assert first == ("roses weeds", (2, "roses", "weeds"), (False, False), [])
    dated = {"anchor": "date", "anchor_date": "2001-01-01", "num_after": 0}
    assert marks("add", "collapsed", **dated)[1] == (1, "soup", "soup")

    attic = chat.channel("attic").id
    ignored = marks("remove", "read", ["stream", "attic"], num_before=10)
    assert ignored == ("", (1, "dust", "dust"), (True, True), [attic])
    unread = marks("remove", "read", kitchen, term("sender", ben.id), num_before=5)
    assert unread == ("bread", (1, "bread", "bread"), (True, True), [])
    assert library.found(kitchen, ["is", "unread"]) == "bread"


def test_the_length_of_a_range_is_limited(chat, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_MESSAGES_PER_FETCH", 4)
    ana = chat.person("ana", channels=["kitchen"])
    ids = chat.fill(ana, "kitchen > count", 12)

    for before, after, expected in [
        (100, 0, ids[2:7]),
        (0, 100, ids[6:11]),
        (100, 100, ids[4:9]),
        (1, 100, ids[5:10]),
    ]:
        window = {"anchor": ids[6], "num_before": before, "num_after": after, "narrow": []}
        response = ana.post("/messages/flags/narrow", op="add", flag="read", **window).succeeds()
        ends = (response["first_processed_id"], response["last_processed_id"])
        assert (ends, response["processed_count"]) == ((expected[0], expected[-1]), 5)


def test_invalid_ranges_are_refused(ana):
    good: dict[str, Any] = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": []}
    good |= {"op": "add", "flag": "read"}
    refused: list[tuple[dict[str, Any], str]] = [
        ({"narrow": None}, "Missing 'narrow' argument"),
        ({"anchor": None}, "Missing 'anchor' argument"),
        ({"num_before": None}, "Missing 'num_before' argument"),
        ({"num_after": None}, "Missing 'num_after' argument"),
        ({"op": None}, "Missing 'op' argument"),
        ({"flag": None}, "Missing 'flag' argument"),
        (
            {"num_after": 1, "include_anchor": False},
            "The anchor can only be excluded at an end of the range",
        ),
        ({"flag": "shiny"}, "Invalid flag: 'shiny'"),
        ({"flag": "historical"}, "Flag not editable: 'historical'"),
        ({"op": "toggle"}, "Invalid message flag operation: 'toggle'"),
        ({"anchor": "here"}, "Invalid anchor"),
        ({"num_before": -1}, "num_before is too small"),
        ({"narrow": [["is"]]}, "Invalid narrow[0]: Value error, element is not a string pair"),
    ]
    for change, msg in refused:
        params = {name: value for name, value in (good | change).items() if value is not None}
        ana.post("/messages/flags/narrow", **params).fails(msg)
    unknown = ana.post("/messages/flags/narrow", **(good | {"narrow": [["channel", "hall"]]}))
    unknown.fails("Invalid narrow operator: unknown channel hall", code="BAD_NARROW")


# --- completeness ---


def test_every_operator_is_in_the_table_has_a_meaning_is_documented_and_obeys_the_law():
    documented = (ROOT / "docs/api.md").read_text(encoding="utf-8").partition("## Narrows")[2]
    dice = random.Random(7)
    requested = {
        each.operator
        for _ in range(2000)
        for each in any_narrow(dice, ["ana", "ben"], ["kitchen"], ["lunch"], [1])
    }
    places = {
        "row in domain.messages.narrow.OPERATORS": set(OPERATORS),
        "function in actions.messages.narrow_terms.MEANINGS": {
            *actions.messages.narrow_terms.MEANINGS,
            "with",
            "search",
        },
        "line in docs/api.md, Narrows": set(re.findall(r"`([a-z-]+)`", documented)),
        "line in tests/laws/narrow_model.py, _matches and any_narrow": requested,
    }

    words = {*OPERATORS, *actions.messages.narrow_terms.MEANINGS}
    missing = [
        f"The operator {word} has no {location}."
        for location, known in places.items()
        for word in sorted(words - known)
    ]
    assert not missing, "\n".join(missing)
