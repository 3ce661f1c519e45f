"""Drafts: stored for their owner, invisible to others."""

import pytest

from tertulia import features, storage

WORDS = {"type": "", "to": [], "topic": "", "content": "loose thoughts"}


@pytest.fixture
def ana(chat):
    return chat.person("ana", channels=["kitchen"])


def draft(chat, **changes):
    kitchen = chat.channel("kitchen").id
    words = {"type": "stream", "to": [kitchen], "topic": "stew", "content": "a stew"}
    return words | {"timestamp": 1_700_000_000} | changes


def kept(person):
    response = person.get("/drafts").succeeds()
    assert response["count"] == len(response["drafts"])
    return response["drafts"]


def test_a_draft_for_a_channel(chat, ana):
    queue, others = ana.listens_for("drafts"), chat.person("ben").listens_for()

    (number,) = ana.post("/drafts", drafts=[draft(chat)]).succeeds()["ids"]

    expected = {"id": number, **draft(chat)}
    assert queue.all() == [{"type": "drafts", "op": "add", "drafts": [expected]}]
    assert kept(ana) == [expected]
    assert others.silent()


def test_drafts_for_users_and_without_recipient(ben, cleo, ana):
    drafts = [
        {"type": "private", "to": [cleo.id, ana.id, ben.id], "topic": "ignored", "content": "both"},
        {"type": "private", "to": [ana.id], "topic": "", "content": "me"},
        {"type": "private", "to": [], "topic": "", "content": "whom"},
        WORDS | {"to": [5], "topic": "x\0", "timestamp": 1_700_000_001.5},
    ]

    ids = ana.post("/drafts", drafts=drafts).succeeds()["ids"]

    by_id = {each["id"]: each for each in kept(ana)}
    shown = [(by_id[n]["type"], by_id[n]["to"], by_id[n]["topic"]) for n in ids]
    assert shown == [
        ("private", [ben.id, cleo.id], ""),
        ("private", [ana.id], ""),
        ("", [], ""),
        ("", [], ""),
    ]
    assert by_id[ids[3]]["timestamp"] == 1_700_000_001


def test_drafts_are_listed_by_time(chat, ana):
    times = [1_700_000_300, 1_700_000_100, 1_700_000_200]
    ana.post("/drafts", drafts=[draft(chat, timestamp=each) for each in times]).succeeds()

    assert [each["timestamp"] for each in kept(ana)] == sorted(times)
    state = ana.registers(fetch_event_types=["drafts"])["drafts"]
    assert state == kept(ana)[::-1]


def test_an_empty_list_causes_an_event(ana):
    queue = ana.listens_for("drafts")

    assert ana.post("/drafts", drafts=[]).succeeds()["ids"] == []

    assert queue.all() == [{"type": "drafts", "op": "add", "drafts": []}]


def test_a_draft_is_replaced_as_a_whole(chat, ana):
    (number,) = ana.post("/drafts", drafts=[draft(chat)]).succeeds()["ids"]
    queue = ana.listens_for("drafts")

    ana.patch(f"/drafts/{number}", draft=WORDS).succeeds()

    (event,) = queue.all()
    assert isinstance(event["draft"].pop("timestamp"), int)
    assert event == {"type": "drafts", "op": "update", "draft": {"id": number, **WORDS}}
    assert kept(ana)[0]["content"] == "loose thoughts"


def test_a_deleted_draft_is_gone_even_from_the_log(chat, ana):
    (number,) = ana.post("/drafts", drafts=[draft(chat, content="a secret")]).succeeds()["ids"]
    ana.patch(f"/drafts/{number}", draft=draft(chat, content="another secret")).succeeds()
    queue = ana.listens_for("drafts")

    ana.delete(f"/drafts/{number}").succeeds()

    assert queue.all() == [{"type": "drafts", "op": "remove", "draft_id": number}]
    assert kept(ana) == []
    entries = chat.read(storage.log.after, chat.realm.id, 0, 10_000)
    assert not any("secret" in entry.payload for entry in entries)


def test_a_late_poll_reveals_no_deleted_text(chat, own_chat):
    ana = own_chat.person("ana")
    queue = ana.listens_for("drafts")
    (number,) = ana.post("/drafts", drafts=[WORDS]).succeeds()["ids"]
    ana.patch(f"/drafts/{number}", draft=WORDS | {"content": "more"}).succeeds()
    ana.delete(f"/drafts/{number}").succeeds()

    own_chat.server.restart()

    assert queue.all() == [
        {"type": "drafts", "op": "add", "drafts": []},
        {"type": "drafts", "op": "remove", "draft_id": number},
    ]


def test_drafts_of_others_are_like_missing_ones(chat, ana):
    ben = chat.person("ben", role="owner")
    (number,) = ana.post("/drafts", drafts=[draft(chat)]).succeeds()["ids"]

    for draft_id in (number, 987_654, 2**70):
        ben.patch(f"/drafts/{draft_id}", draft=draft(chat)).fails("Draft does not exist")
        ben.delete(f"/drafts/{draft_id}").fails("Draft does not exist")
    assert len(kept(ana)) == 1


@pytest.mark.parametrize(
    "changes, problem",
    [
        ({"to": []}, "Must specify exactly 1 channel ID for channel messages"),
        ({"to": [1, 2]}, "Must specify exactly 1 channel ID for channel messages"),
        ({"to": [987_654]}, "Invalid channel ID"),
        ({"type": "private", "to": [987_654]}, "Invalid user ID 987654"),
        ({"id": 5}, 'Argument "id" at {}["id"] is unexpected'),
        ({"type": "letter"}, 'Invalid {}["type"]'),
        ({"type": "channel"}, 'Invalid {}["type"]'),
        ({"content": " "}, '{}["content"] cannot be blank'),
        ({"content": "a\0"}, "Message must not contain null bytes"),
        ({"topic": "a\0"}, "Topic must not contain null bytes"),
        ({"to": 52}, '{}["to"] is not a list'),
        ({"timestamp": -5}, "Timestamp must not be negative."),
        ({"timestamp": 10**15}, '{}["timestamp"] is too large'),
        ({"content": "c" * 10_001}, "Message is too long (limit: 10000 characters)"),
        ({"topic": "t" * 61}, "topic is too long (limit: 60 characters)"),
    ],
)
def test_invalid_drafts_are_refused(chat, ana, changes, problem):
    (number,) = ana.post("/drafts", drafts=[draft(chat)]).succeeds()["ids"]
    bad = draft(chat, **changes)

    ana.post("/drafts", drafts=[draft(chat), bad]).fails(problem.format("drafts[1]"))
    ana.patch(f"/drafts/{number}", draft=bad).fails(problem.format("draft"))

    assert kept(ana) == [{"id": number, **draft(chat)}]  # all of them or none


def test_required_fields(chat, ana):
    for part in ("type", "to", "topic", "content"):
        words = {name: value for name, value in draft(chat).items() if name != part}
        ana.post("/drafts", drafts=[words]).fails(
            f'drafts[0]["{part}"] field is missing: Field required'
        )
    ana.post("/drafts").fails("Missing 'drafts' argument")
    ana.post("/drafts", drafts=draft(chat)).fails("drafts is not a list")
    (number,) = ana.post("/drafts", drafts=[draft(chat)]).succeeds()["ids"]
    ana.patch(f"/drafts/{number}").fails("Missing 'draft' argument")
    ana.patch(f"/drafts/{number}", draft=[draft(chat)]).fails("draft is not a dict")


def test_a_draft_for_a_hidden_channel(chat, ana):
    chat.person("ben").joins("vault", invite_only=True)

    ana.post("/drafts", drafts=[draft(chat, to=[chat.channel("vault").id])]).fails(
        "Invalid channel ID"
    )


def test_long_drafts_and_any_topic_are_accepted(chat, ana):
    drafts = [
        draft(chat, content="c" * 10_000, topic="t" * 60),
        draft(chat, topic="general chat"),
        draft(chat, topic=""),
    ]

    ana.post("/drafts", drafts=drafts).succeeds()

    assert sorted(each["topic"] for each in kept(ana)) == ["", "general chat", "t" * 60]


def test_without_synchronization_there_are_no_drafts(chat):
    ana = chat.person("ana", settings={"enable_drafts_synchronization": False})

    for response in (
        ana.get("/drafts"),
        ana.post("/drafts", drafts=[WORDS]),
        ana.patch("/drafts/5", draft=WORDS),
        ana.delete("/drafts/5"),
    ):
        response.fails("User has disabled synchronizing drafts.")


def test_the_number_of_drafts_is_limited(ana, monkeypatch):
    monkeypatch.setattr(features.drafts, "MAX_DRAFTS", 2)
    ana.post("/drafts", drafts=[WORDS]).succeeds()

    ana.post("/drafts", drafts=[WORDS, WORDS]).fails("Too many drafts (limit: 2)")

    ana.post("/drafts", drafts=[WORDS]).succeeds()
    assert len(kept(ana)) == 2
