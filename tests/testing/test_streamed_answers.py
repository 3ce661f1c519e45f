"""The helpers for tests of bots that stream their answers."""

import pytest

from tertulia.testing import started


@pytest.fixture
def chat():
    with started() as server:
        yield server


def test_a_test_watches_an_answer_grow_stops_it_and_sees_its_end(chat):
    ana, helper = chat.person("Ana"), chat.bot("Helper")
    chat.channel("general", ana, helper)
    queue = ana.listen("answer", "message")
    fields = {"type": "channel", "to": "general", "topic": "Saturday", "asked_by": ana.id}
    token = helper.call("POST", "/answers", **fields, status_line="reading")["answer_token"]
    helper.call("PATCH", f"/answers/{token}", content="Two things ", status_line="writing")

    answer = queue.wait_for_answer("Two things", sender=helper)
    assert (answer.is_over, answer.is_stopped) == (False, False)
    assert answer.status_lines == ["reading", "writing"]
    ana.stop_answer(answer)
    assert helper.call("PATCH", f"/answers/{token}", content="are open")["stopped"]
    sent = helper.call("POST", f"/answers/{token}/finish", content="Two things")["id"]

    answer = queue.wait_for_answer(sender=helper)
    assert (answer.text, answer.is_stopped, answer.message_id) == ("Two things ", True, sent)


def test_an_answer_that_does_not_come_that_far_fails_with_what_was_seen(chat):
    ana, helper = chat.person("Ana"), chat.bot("Helper")
    chat.channel("general", ana, helper)
    queue = ana.listen("answer")
    fields = {"type": "channel", "to": "general", "topic": "Saturday"}
    token = helper.call("POST", "/answers", **fields)["answer_token"]
    helper.call("PATCH", f"/answers/{token}", content="Two things")

    with pytest.raises(AssertionError, match=r"Ana has seen no such answer.*\n.*Two things"):
        queue.wait_for_answer("Three things", seconds=1)
