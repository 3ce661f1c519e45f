"""Large answers are returned without delaying other users."""

import weakref

import pytest
from tests.support.latency_guard import GUARD, MAX_COUNTS, count

from tertulia import actions, api, domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.http.exchange import BLOCK_BYTES, Pieces

LONG = "All work and no play. " * 450


def says_much(tx: Tx, user_id: int, count: int) -> None:
    sender = storage.people.users.find(tx, user_id)
    assert sender is not None
    for _ in range(count):
        draft = Draft(LONG, f"<p>{LONG}</p>", 0, "test", False)
        actions.messages.send.to_channel(tx, sender, "kitchen", "lunch", draft)


def test_thousands_of_long_messages_delay_no_other_request(chat):
    """The event loop is blocked only for the messages that are encoded at once."""
    ana = chat.person("ana", channels=["kitchen"])
    chat.write(says_much, ana.id, 1000)
    GUARD.begin()

    found = ana.get("/messages", anchor="newest", num_before=5000).succeeds()

    assert len(found["messages"]) == 1000
    held, _ = GUARD.longest["loop"]
    assert held < MAX_COUNTS / 2 * count()


def test_an_answer_has_a_maximum_size_and_says_that_there_is_more(chat, monkeypatch):
    monkeypatch.setattr(actions.messages.history, "MAX_RESPONSE_CHARACTERS", 10 * 2 * len(LONG))
    ana = chat.person("ana", channels=["kitchen"])
    chat.write(says_much, ana.id, 40)
    all_ids = [each["id"] for each in fetched(ana, anchor="oldest", num_after=1000, whole=True)]

    newest = fetched(ana, anchor="newest", num_before=40)
    oldest = fetched(ana, anchor="oldest", num_after=40)
    middle = fetched(ana, anchor=all_ids[20], num_before=20, num_after=20)

    assert len(all_ids) == 40
    assert {len(newest), len(oldest), len(middle)} <= set(range(9, 20))
    assert [each["id"] for each in newest] == all_ids[-len(newest) :]
    assert [each["id"] for each in oldest] == all_ids[: len(oldest)]
    assert middle[len(middle) // 2]["id"] == all_ids[20]
    for path, params in (
        ("/messages", {"message_ids": all_ids}),
        ("/messages/matches_narrow", {"msg_ids": all_ids, "narrow": [["search", "work"]]}),
    ):
        ana.get(path, **params).fails("These messages are too long for one answer; ask for fewer.")


LONGER = len(LONG) + 1  # than one message


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/messages", {"anchor": "newest", "num_before": 20, "narrow": [["search", "work"]]}),
        ("/messages", {"anchor": "newest", "num_before": 20}),
        ("/messages", {"message_ids": range(20)}),
        ("/messages/matches_narrow", {"msg_ids": range(20), "narrow": [["search", "work"]]}),
    ],
)
def test_few_messages_with_much_text_are_composed_one_answer_at_a_time(
    chat, monkeypatch, path, params
):
    """Only messages that must be read; others are in the cache."""
    monkeypatch.setattr(actions.messages.history, "MAX_UNQUEUED_CHARACTERS", LONGER)
    queue = api.messages.history.LARGE_ANSWERS
    ana = chat.person("ana", channels=["kitchen"])
    chat.write(says_much, ana.id, 20)
    plain = {"anchor": "newest", "num_before": 20, "apply_markdown": False}
    ids = [each["id"] for each in fetched(ana, whole=True, **plain)]
    before = queue.state.served
    given = {name: ids if isinstance(value, range) else value for name, value in params.items()}

    assert len(ana.get(path, **given).succeeds()["messages"]) == 20
    assert queue.state.served == before + 1

    ana.get("/messages", anchor="newest", num_before=0).succeeds()
    assert queue.state.served == before + 1


def test_parts_of_an_answer_that_were_sent_are_freed():
    """A large answer is not copied to be sent."""
    held = [Text(b"x" * BLOCK_BYTES) for _ in range(4)]
    ends = [weakref.ref(each) for each in held]
    body = Pieces([b"{", *[memoryview(each) for each in held], b"}"])
    del held

    sent, left = bytearray(), []
    for block in body.blocks():
        sent += block
        del block
        left.append(sum(end() is not None for end in ends))

    assert bytes(sent) == b"{" + b"x" * 4 * BLOCK_BYTES + b"}"
    assert left == [4, 3, 2, 1, 0, 0]


class Text(bytearray):
    """Bytes whose deallocation can be observed."""


def fetched(person, *, whole=False, **window):
    """In pages, or one page that is incomplete."""
    answer = person.get("/messages", **window).succeeds()
    if not whole:
        assert not (answer["found_oldest"] and answer["found_newest"])
        return answer["messages"]
    found = answer["messages"]
    while not answer["found_newest"]:
        answer = person.get(
            "/messages", anchor=found[-1]["id"], include_anchor=False, num_after=1000
        ).succeeds()
        found += answer["messages"]
    return found


def test_a_message_keeps_a_limited_number_of_edits(chat, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_EDITS_PER_MESSAGE", 5)
    monkeypatch.setattr(domain.limits, "MAX_EDITED_LENGTH", 2000)
    ana = chat.person("ana", channels=["kitchen"])
    soup = ana.says("0", to="kitchen > lunch")
    for number in range(1, 9):
        ana.patch(f"/messages/{soup.id}", content=str(number)).succeeds()

    assert history_of(ana, soup) == ["3", "4", "5", "6", "7", "8"]
    for words in ("x" * 900, "y" * 900, "8"):
        ana.patch(f"/messages/{soup.id}", content=words).succeeds()
    assert history_of(ana, soup) == ["y" * 900, "8"]
    for number in range(8):
        ana.patch(f"/messages/{soup.id}", topic=f"lunch {number}").succeeds()
    assert len(ana.sees(soup)["edit_history"]) == 5


def history_of(person, message):
    answer = person.get(f"/messages/{message.id}/history").succeeds()
    return [each["content"] for each in answer["message_history"]]


def test_reactions_of_one_user_to_a_message_are_limited(chat, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_REACTIONS_PER_MESSAGE", 2)
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    path = f"/messages/{ana.says('Soup', to='kitchen > lunch').id}/reactions"
    for name in ("tada", "smile"):
        ana.post(path, emoji_name=name).succeeds()

    ana.post(path, emoji_name="heart").fails("Too many reactions to one message (limit: 2)")

    ben.post(path, emoji_name="heart").succeeds()
