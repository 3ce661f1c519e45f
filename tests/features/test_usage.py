"""Usage: messages, people who write and storage, counted from what is there."""

import pytest
from tests.support.files import uploads

from tertulia import features
from tertulia.domain.people.presence import Presence

DAY_SECONDS = 86400


@pytest.fixture
def busy(chat, owner):
    """Two channels, three people who write, on three days; a Tuesday is today."""
    ana, ben = chat.people("ana", "ben", channels=["kitchen", "attic"])
    clock = chat.server.clock
    days_to_tuesday = (5 - int(clock() // DAY_SECONDS)) % 7
    clock.move(hours=24 * days_to_tuesday)
    ana.says("Old", to="kitchen > lunch")
    clock.move(hours=24 * 7)
    ana.says("Soup", to="kitchen > lunch")
    ana.says("Bread", to="kitchen > lunch")
    ben.says("Dust", to="attic > dust")
    clock.move(hours=24)
    ben.says("Psst", to=[ana])
    return ana, ben


def usage(admin, **params):
    return admin.get("/realm/usage", **params).succeeds()


def test_messages_and_writers_are_counted_by_day_and_week(busy, owner):
    found = usage(owner, days=14)

    days = {each["starts_at"]: (each["messages"], each["writers"]) for each in found["days"]}
    today = found["days"][-1]["starts_at"]
    assert len(days) == 14
    assert found["as_of"] // DAY_SECONDS == today // DAY_SECONDS
    assert days[today] == (1, 1)
    assert days[today - DAY_SECONDS] == (3, 2)
    assert days[today - 8 * DAY_SECONDS] == (1, 1)
    assert days[today - 2 * DAY_SECONDS] == (0, 0)
    assert [each["writers"] for each in found["weeks"]][-2:] == [1, 2]
    assert all((each["starts_at"] // DAY_SECONDS) % 7 == 4 for each in found["weeks"])  # Mondays


def test_channels_are_counted_by_day(chat, busy, owner):
    found = {each["stream_id"]: each for each in usage(owner, days=14)["channels"]}

    kitchen, attic = found[chat.channel("kitchen").id], found[chat.channel("attic").id]
    assert (kitchen["messages"], attic["messages"], found[None]["messages"]) == (3, 1, 1)
    assert kitchen["by_day"] == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0]
    assert found[None]["by_day"][-1] == 1


def test_storage_is_counted_by_channel_and_person(chat, busy, owner):
    ana, ben = busy
    picture = uploads(ana, "soup.txt", b"x" * 1000)
    note = uploads(ben, "note.txt", b"y" * 300)
    ana.says(f"[soup]({picture.url})", to="kitchen > lunch")
    ana.says(f"[again]({picture.url})", to="kitchen > dinner")
    ben.says(f"[note]({note.url})", to=[ana])

    found = usage(owner)

    sizes = {each["stream_id"]: each["size"] for each in found["channels"]}
    assert (sizes[chat.channel("kitchen").id], sizes[None]) == (1000, 300)
    assert found["storage_by_person"] == [
        {"user_id": ana.id, "size": 1000},
        {"user_id": ben.id, "size": 300},
    ]
    assert found["storage_size"] == 1300


def test_bots_are_not_counted_as_people(chat, busy, owner):
    ana, _ = busy
    bot = chat.person("bot", bot="generic", owner=ana, channels=["kitchen"])
    bot.says("Beep", to="kitchen > lunch")

    found = usage(owner)

    assert found["people"] == 3
    assert (found["days"][-1]["messages"], found["days"][-1]["writers"]) == (2, 1)


def test_the_count_is_repeated_after_ten_minutes(chat, busy, owner):
    ana, _ = busy
    before = usage(owner)
    ana.says("More", to="kitchen > lunch")

    soon = usage(owner)
    chat.server.clock.move(hours=1 / 4)
    later = usage(owner)

    assert soon == before
    # Summed, because the clock may have moved to the next day.
    counts = [sum(each["messages"] for each in found["days"]) for found in (before, later)]
    assert counts[1] == counts[0] + 1


def test_people_who_were_connected_lately_are_counted(chat, busy, owner):
    ana, ben = busy
    now = chat.server.clock()
    seen = {
        ana.id: Presence(now - 3600, now - 3600),
        ben.id: Presence(None, now - 3 * DAY_SECONDS),
        owner.id: Presence(None, now - 30 * DAY_SECONDS),
    }
    chat.write(features.presence.record, seen, 0)

    found = usage(owner)

    assert (found["seen_last_day"], found["seen_last_week"]) == (1, 2)


def test_only_administrators_see_usage(busy):
    ana, _ = busy

    ana.get("/realm/usage").fails(
        "Must be an organization administrator", code="UNAUTHORIZED_PRINCIPAL"
    )


def test_the_number_of_days_is_bounded(owner):
    for days in (6, 91):
        assert owner.get("/realm/usage", days=days).json["code"] == "BAD_REQUEST"
