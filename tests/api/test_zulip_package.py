"""The `zulip` package from PyPI, unchanged, as somebody's bot would use it."""

import contextlib
from threading import Event, Thread

import pytest
import zulip
from tests.support.server import PATIENCE_SECONDS as SOON


class Enough(Exception):
    """Ends `call_on_each_message`, which otherwise goes on for ever."""


@pytest.fixture
def people(own_chat, monkeypatch, tmp_path):
    """Ana with the package and Ben with our own client, alone on a server."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZULIP_CONFIG", raising=False)
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    return connects(ana), ana, ben


def connects(person):
    return zulip.Client(
        email=person.email,
        api_key=person.key,
        site=f"http://127.0.0.1:{person.server.port}",
        client="SoupBot",
        retry_on_errors=False,
    )


def listens(client, count, **options):
    """Collect so many messages in a thread; gives the list, and the event that it is full."""
    heard, full, ready = [], Event(), Event()
    register = client.register

    def tells_when_ready(*args, **kwargs):
        answer = register(*args, **kwargs)
        ready.set()
        return answer

    def hear(message):
        heard.append(message)
        if len(heard) == count:
            raise Enough

    def run():
        with contextlib.suppress(Enough):
            client.call_on_each_message(hear, **options)
        full.set()

    client.register = tells_when_ready
    Thread(target=run, daemon=True).start()
    assert ready.wait(SOON)
    return heard, full


def test_it_connects(people):
    client, ana, _ = people

    profile = client.get_profile()

    assert (profile["result"], profile["user_id"]) == ("success", ana.id)
    assert client.feature_level == 433


def test_it_sends(people):
    client, ana, ben = people

    to_channel = client.send_message(
        {"type": "stream", "to": "kitchen", "subject": "lunch", "content": "Soup's on"}
    )
    to_people = client.send_message({"type": "private", "to": [ben.id], "content": "psst"})
    refused = client.send_message({"type": "stream", "to": "attic", "topic": "x", "content": "x"})

    seen = ben.sees(to_channel["id"])
    assert (seen["content"], seen["client"], seen["subject"]) == (
        "<p>Soup's on</p>",
        "SoupBot",
        "lunch",
    )
    assert ben.sees(to_people["id"])["sender_id"] == ana.id
    assert (refused["result"], refused["code"]) == ("error", "STREAM_DOES_NOT_EXIST")


def test_it_receives(people):
    client, _, ben = people
    heard, full = listens(client, count=3)

    for word in ("one", "two", "three"):
        ben.says(word, to="kitchen > count")

    assert full.wait(SOON)
    assert [each["content"] for each in heard] == ["one", "two", "three"]


def test_it_receives_as_it_asks_to(people):
    client, _, ben = people
    ben.joins("garden")
    heard, full = listens(client, count=1, apply_markdown=True, all_public_streams=True)

    ben.says("Roses", to="garden > beds")

    assert full.wait(SOON)
    assert [each["content"] for each in heard] == ["<p>Roses</p>"]


def test_it_registers_and_asks_for_events(people):
    client, _, ben = people
    queue = client.register(event_types=["message"])

    ben.says("Soup's on", to="kitchen > lunch")

    events = client.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"])
    assert [each["message"]["content"] for each in events["events"]] == ["Soup's on"]
    assert client.deregister(queue["queue_id"])["result"] == "success"
    gone = client.get_events(queue_id=queue["queue_id"], last_event_id=-1)
    assert gone["code"] == "BAD_EVENT_QUEUE_ID"


def test_a_lost_queue_makes_it_register_again(people):
    client, ana, ben = people
    heard, full = listens(client, count=2)
    ben.says("before", to="kitchen > count")
    while not heard:
        pass

    for queue_id in list(ben.server.application.delivery._mailboxes):
        ana.delete("/events", queue_id=queue_id)
    for _ in range(50):
        ben.says("after", to="kitchen > count")
        if full.wait(0.1):
            break

    assert [each["content"] for each in heard] == ["before", "after"]


def test_it_joins_lists_and_leaves(people):
    client, ana, ben = people

    joined = client.add_subscriptions([{"name": "garden", "description": "Roses"}])
    others = client.add_subscriptions([{"name": "garden"}], principals=[ben.id])
    listed = client.get_subscriptions()
    left = client.remove_subscriptions(["garden"])

    assert joined["subscribed"] == {str(ana.id): ["garden"]}
    assert others["subscribed"] == {str(ben.id): ["garden"]}
    assert "garden" in [each["name"] for each in listed["subscriptions"]]
    assert left["removed"] == ["garden"]


def test_it_reads(people):
    client, ana, ben = people
    soup = ben.says("*Soup*", to="kitchen > lunch")

    found = client.get_messages(
        {
            "anchor": "newest",
            "num_before": 10,
            "num_after": 0,
            "narrow": [{"operator": "channel", "operand": "kitchen"}],
        }
    )

    assert [each["id"] for each in found["messages"]] == [soup.id]
    assert client.get_raw_message(soup.id)["raw_content"] == "*Soup*"
    members = client.get_members()["members"]
    assert [each["user_id"] for each in members] == [ana.id, ben.id]
    assert client.get_user_by_id(ben.id)["user"]["full_name"] == "Ben"


def test_a_wrong_key_is_told(people):
    _, ana, _ = people
    client = zulip.Client(
        email=ana.email, api_key="a" * 32, site=f"http://127.0.0.1:{ana.server.port}"
    )

    assert client.get_profile()["code"] == "UNAUTHORIZED"


def test_a_bot_remembers(people):
    client, ana, _ = people
    made = {"full_name": "Tide Bot", "short_name": "tide", "bot_type": 1}
    assert client.call_endpoint("bots", method="POST", request=made)["result"] == "success"
    (listed,) = ana.get("/bots").succeeds()["bots"]
    bot = zulip.Client(email=listed["username"], api_key=listed["api_key"], site=client.base_url)

    told = bot.update_storage({"storage": {"low": "04:10", "high": "10:30"}})

    assert told["result"] == "success"
    assert bot.get_storage({"keys": ["low"]})["storage"] == {"low": "04:10"}
    assert bot.get_storage()["storage"] == {"low": "04:10", "high": "10:30"}


def test_it_uploads(people, tmp_path):
    client, ana, ben = people
    notes = tmp_path / "high tide.txt"
    notes.write_bytes(b"at ten" * 500_000)

    with notes.open("rb") as file:
        answer = client.upload_file(file)
    listed = client.get_attachments()

    assert (answer["result"], answer["filename"]) == ("success", "high tide.txt")
    assert [each["size"] for each in listed["attachments"]] == [3_000_000]
    ana.says(f"[tide]({answer['url']})", to="kitchen > tides")
    assert ben.raw("GET", answer["url"]).body == notes.read_bytes()
    link = client.call_endpoint(answer["url"].removeprefix("/"), method="GET")["url"]
    assert ana.chat.stranger.raw("GET", link).body == notes.read_bytes()
