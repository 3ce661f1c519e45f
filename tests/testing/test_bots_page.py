"""What docs/bots.md shows works as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tertulia.testing import ApiRefusal, started

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
CODE = re.compile(r"```python\n# (\w+\.py)\n(.*?)```", re.DOTALL)


@pytest.mark.thorough
def test_the_bot_of_the_docs_passes_its_test(tmp_path):
    for name, text in CODE.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")

    left_out = ["-pno:cacheprovider", "-pno:schemathesis", "-pno:anyio"]  # long to load
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *left_out, "test_helper.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_test_server_has_users_a_clock_and_errors():
    with started() as chat:
        ana, ben = chat.person("Ana", role="owner"), chat.person("Ben")
        chat.channel("kitchen", ana, ben)
        at = int(chat._clock()) + 3600
        ana.call(
            "POST",
            "/scheduled_messages",
            type="channel",
            to=ana.call("GET", "/get_stream_id", stream="kitchen")["stream_id"],
            topic="x",
            content="later",
            scheduled_delivery_timestamp=at,
        )
        ben.send(ana, "now")

        assert ana.wait_for_message()["content"] == "now"
        chat.move_time(hours=1)
        assert ben.wait_for_message("later")["sender_id"] == ana.id
        with pytest.raises(ApiRefusal, match="400 Channel 'cellar' does not exist"):
            ana.send("cellar", "x")
        with pytest.raises(AssertionError, match=r"no such message in 0 s(.|\n)*Ben: now"):
            ana.wait_for_message("never", seconds=0)


def test_moving_the_clock_sends_due_messages_at_their_time():
    with started() as chat:
        ana, ben = chat.person("Ana"), chat.person("Ben")
        now = int(chat._clock())
        for hours in (20, 3):
            ana.call(
                "POST",
                "/scheduled_messages",
                type="direct",
                to=[ben.id],
                content=f"in {hours} hours",
                scheduled_delivery_timestamp=now + 3600 * hours,
            )

        chat.move_time(hours=24)

        sent = [(each["content"], each["timestamp"] - now) for each in ben.messages()]
        assert [text for text, _ in sent] == ["in 3 hours", "in 20 hours"]
        assert [seconds // 3600 for _, seconds in sent] == [3, 20]


def test_a_bot_author_waits_for_an_event():
    with started() as chat:
        ana, ben = chat.person("Ana"), chat.person("Ben")
        number = ana.send(ben, "Soup's on")
        queue = ana.listen("reaction")

        ben.call("POST", f"/messages/{number}/reactions", emoji_name="heart")
        ben.call("POST", f"/messages/{number}/reactions", emoji_name="tada")

        event = queue.wait_for_event("reaction", emoji_name="tada")
        assert (event["op"], event["user_id"]) == ("add", ben.id)
        with pytest.raises(AssertionError, match=r"Ana has got no event .* in 0 s"):
            queue.wait_for_event("reaction", seconds=0)
