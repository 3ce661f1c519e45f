"""Notices of fast-path sends between servers contain what the log contains."""

import json

import pytest

from tertulia import events
from tertulia.database.log_position import LogPosition


@pytest.fixture
def appended(chat, in_kitchen, ana, ben):
    before = chat.head()
    for words in ("Soup's on", "x" * 9000, "Tea?"):
        ana.says(words, to="kitchen > lunch")
    ben.says("Coming", to=[ana])
    found = [
        each for each in chat.read(events.log.read, before, 100) if each.event.kind == "message"
    ]
    return [(LogPosition(each.seq, "epoch"), each) for each in found]


def test_a_notice_decodes_to_the_sent_message(appended):
    notices, _ = events.notify_payloads.encode(appended)

    received = [each for notice in notices for each in events.notify_payloads.read(notice)]

    short = [(known, each) for known, each in appended if len(each.event.message.content) < 9000]
    assert received == short
    assert len(received) == 3


def test_notices_say_up_to_which_event_they_are_complete(appended):
    realm_id, last = appended[0][1].realm_id, appended[-1][1].seq

    assert events.notify_payloads.encode(appended)[1] == {}
    assert events.notify_payloads.encode(appended[2:])[1] == {realm_id: last}
    assert events.notify_payloads.encode([]) == ([], {})


def test_no_notice_exceeds_the_maximum_length(appended):
    notices, _ = events.notify_payloads.encode(appended[:1] * 100)

    assert (
        max(len(notice.encode()) for notice in notices)
        <= events.notify_payloads.MAX_NOTICE_BYTES + 2
    )
    assert sum(len(json.loads(notice)) for notice in notices) == 100
