"""The `zulip` package from PyPI, unchanged, as a bot uses it."""

import io

import pytest
import zulip
from tests.support.pictures import picture, uploads
from tests.support.waiting import TIMEOUT_SECONDS, eventually
from tests.support.zulip_bot import connects, listens


@pytest.fixture
def chat(own_chat):
    return own_chat


@pytest.fixture
def client(in_kitchen, ana, ben, monkeypatch, tmp_path):
    """Ana uses the package and Ben our own client, alone on a server."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZULIP_CONFIG", raising=False)
    return connects(ana)


def test_the_zulip_package_connects(client, ana):
    profile = client.get_profile()

    assert (profile["result"], profile["user_id"]) == ("success", ana.id)
    assert client.feature_level == 497


def test_the_zulip_package_sends(client, ana, ben):
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


def test_the_zulip_package_receives(client, ben):
    event, full = listens(client, count=3)

    for word in ("one", "two", "three"):
        ben.says(word, to="kitchen > count")

    assert full.wait(TIMEOUT_SECONDS)
    assert [each["content"] for each in event] == ["one", "two", "three"]


def test_the_zulip_package_receives_with_options(client, ben):
    ben.joins("garden")
    event, full = listens(client, count=1, apply_markdown=True, all_public_streams=True)

    ben.says("Roses", to="garden > beds")

    assert full.wait(TIMEOUT_SECONDS)
    assert [each["content"] for each in event] == ["<p>Roses</p>"]


def test_the_zulip_package_registers_and_polls(client, ben):
    queue = client.register(event_types=["message"])

    ben.says("Soup's on", to="kitchen > lunch")

    events = client.get_events(queue_id=queue["queue_id"], last_event_id=queue["last_event_id"])
    assert [each["message"]["content"] for each in events["events"]] == ["Soup's on"]
    assert client.deregister(queue["queue_id"])["result"] == "success"
    gone = client.get_events(queue_id=queue["queue_id"], last_event_id=-1)
    assert gone["code"] == "BAD_EVENT_QUEUE_ID"


def test_the_zulip_package_registers_again_after_a_lost_queue(client, ana, ben):
    event, full = listens(client, count=2)
    ben.says("before", to="kitchen > count")
    eventually(lambda: event)

    for queue_id in ben.server.queue_ids(ben.chat.realm.id):
        ana.delete("/events", queue_id=queue_id)
    for _ in range(50):
        ben.says("after", to="kitchen > count")
        if full.wait(0.1):
            break

    assert [each["content"] for each in event] == ["before", "after"]


def test_the_zulip_package_subscribes_lists_and_unsubscribes(client, ana, ben):
    joined = client.add_subscriptions([{"name": "garden", "description": "Roses"}])
    others = client.add_subscriptions([{"name": "garden"}], principals=[ben.id])
    listed = client.get_subscriptions()
    left = client.remove_subscriptions(["garden"])

    assert joined["subscribed"] == {str(ana.id): ["garden"]}
    assert others["subscribed"] == {str(ben.id): ["garden"]}
    assert "garden" in [each["name"] for each in listed["subscriptions"]]
    assert left["removed"] == ["garden"]


def test_the_zulip_package_reads_messages(client, ana, ben):
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


def test_the_zulip_package_adds_a_custom_emoji(client, tmp_path):
    file = tmp_path / "dot.png"
    file.write_bytes(picture())

    with file.open("rb") as opened:
        added = client.upload_custom_emoji("dot", opened)

    assert added["result"] == "success"
    assert [each["name"] for each in client.get_realm_emoji()["emoji"].values()] == ["dot"]


@pytest.mark.usefixtures("client")
def test_a_wrong_key_is_reported(ana):
    client = zulip.Client(
        email=ana.email, api_key="a" * 32, site=f"http://127.0.0.1:{ana.server.port}"
    )

    assert client.get_profile()["code"] == "UNAUTHORIZED"


def test_bot_storage_works(client, ana):
    made = {"full_name": "Tide Bot", "short_name": "tide", "bot_type": 1}
    assert client.call_endpoint("bots", method="POST", request=made)["result"] == "success"
    (listed,) = ana.get("/bots").succeeds()["bots"]
    bot = zulip.Client(email=listed["username"], api_key=listed["api_key"], site=client.base_url)

    found = bot.update_storage({"storage": {"low": "04:10", "high": "10:30"}})

    assert found["result"] == "success"
    assert bot.get_storage({"keys": ["low"]})["storage"] == {"low": "04:10"}
    assert bot.get_storage()["storage"] == {"low": "04:10", "high": "10:30"}


def test_the_zulip_package_uploads(client, ana, ben, tmp_path):
    notes = tmp_path / "high tide.txt"
    notes.write_bytes(b"at ten" * 500_000)

    with notes.open("rb") as file:
        response = client.upload_file(file)
    listed = client.get_attachments()

    assert (response["result"], response["filename"]) == ("success", "high tide.txt")
    assert [each["size"] for each in listed["attachments"]] == [3_000_000]
    ana.says(f"[tide]({response['url']})", to="kitchen > tides")
    assert ben.raw("GET", response["url"]).body == notes.read_bytes()
    link = client.call_endpoint(response["url"].removeprefix("/"), method="GET")["url"]
    assert ana.chat.stranger.raw("GET", link).body == notes.read_bytes()


# Methods of removed endpoints: groups are deactivated, not deleted.
WITHOUT = {"remove_user_group": "METHOD_NOT_ALLOWED"}
# Methods that ask nothing of a server, or have tests of their own.
ELSEWHERE = {
    "call_endpoint",
    "call_on_each_event",
    "call_on_each_message",
    "deregister",
    "do_api_query",
    "ensure_session",
    "get_events",
    "get_storage",
    "get_user_agent",
    "register",
    "update_storage",
    "upload_custom_emoji",
}


def test_every_method_is_answered(own_chat, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    ana = own_chat.person("ana", channels=["kitchen", "garden"], role="owner")
    ben = own_chat.person("ben", channels=["kitchen"])
    soup = ana.says("Soup", to="kitchen > lunch").id
    rose = ana.says("Rose", to="garden > beds").id
    kitchen, garden = own_chat.channel("kitchen").id, own_chat.channel("garden").id
    uploads(ana, "dot", picture()).succeeds()
    client, responses = connects(ana), {}

    def asks(method, *args, **kwargs):
        responses[method] = getattr(client, method)(*args, **kwargs)
        return responses[method]

    file = io.BytesIO(b"soup")
    file.name = "soup.txt"
    asks("get_server_settings")
    asks("get_profile")
    asks("get_users", {"client_gravatar": True})
    asks("get_members")
    asks("get_user_by_id", ben.id, include_custom_profile_fields=True)
    asks("update_presence", {"status": "active", "ping_only": False})
    asks("get_user_presence", ana.email)
    asks("get_realm_presence")
    asks("get_streams", include_public=True)
    asks("get_stream_id", "kitchen")
    asks("get_stream_topics", kitchen)
    asks("get_stream_email_address", kitchen)
    asks("get_subscribers", stream="kitchen")
    asks("get_subscriptions", {"include_subscribers": True})
    asks("list_subscriptions")
    asks("get_subscription_status", ben.id, kitchen)
    asks("add_subscriptions", [{"name": "cellar"}], message_retention_days="unlimited")
    asks("remove_subscriptions", ["kitchen"], principals=[ben.id])
    color = {"stream_id": kitchen, "property": "color", "value": "#f00"}
    asks("update_subscription_settings", [color])
    asks("mute_topic", {"stream": "kitchen", "topic": "lunch", "op": "add"})
    asks("update_stream", {"stream_id": kitchen, "description": "Soup, mostly", "is_private": True})
    asks("add_default_stream", garden)
    asks("send_message", {"type": "private", "to": [ben.email], "content": "psst"})
    narrow = [{"operator": "stream", "operand": "kitchen"}]
    asks("get_messages", {"anchor": 0, "num_before": 0, "num_after": 9, "narrow": narrow})
    asks("check_messages_match_narrow", msg_ids=[soup], narrow=narrow)
    asks("get_raw_message", soup)
    asks("update_message", {"message_id": soup, "content": "*Soup*", "topic": "dinner"})
    asks("get_message_history", soup)
    asks("update_message_flags", {"messages": [soup], "op": "add", "flag": "starred"})
    asks("mark_all_as_read")
    asks("mark_stream_as_read", kitchen)
    asks("mark_topic_as_read", kitchen, "lunch")
    asks("add_reaction", {"message_id": soup, "emoji_name": "tada"})
    asks("remove_reaction", {"message_id": soup, "emoji_name": "tada"})
    asks("render_message", {"content": "*Soup*"})
    asks("set_typing_status", {"op": "start", "to": [ben.id]})
    asks("move_topic", "garden", "cellar", "beds")
    asks("delete_message", rose)
    asks("delete_stream", garden)
    asks("upload_file", file)
    asks("get_attachments")
    asks("update_notification_settings", {"enable_sounds": False})
    group = asks("create_user_group", {"name": "g", "description": "", "members": [ben.id]})
    number = group["group_id"]
    asks("get_user_groups")
    asks("update_user_group", {"group_id": number, "name": "cooks", "description": "They cook"})
    asks("update_user_group_members", number, {"add": [ana.id], "delete": [ben.id]})
    asks("remove_user_group", number)
    asks("add_alert_words", ["soup"])
    asks("get_alert_words")
    asks("remove_alert_words", ["soup"])
    asks("get_realm_emoji")
    asks("delete_custom_emoji", "dot")
    linkifier = asks("add_realm_filter", "#(?P<id>[0-9]+)", "https://example.com/{id}")
    asks("get_realm_linkifiers")
    asks("remove_realm_filter", linkifier["id"])
    field = asks("create_realm_profile_field", name="Phone", hint="", field_type=1)["id"]
    asks("get_realm_profile_fields")
    asks("reorder_realm_profile_fields", order=[field])
    asks("update_realm_profile_field", field, name="Telephone")
    asks("remove_realm_profile_field", field)
    new = {"email": "cleo@example.com", "password": "soup and bread", "full_name": "Cleo"}
    cleo = asks("create_user", new)["user_id"]
    asks("update_user_by_id", cleo, full_name="Cleopatra", role=300)
    asks("deactivate_user_by_id", cleo)
    asks("reactivate_user_by_id", cleo)

    methods = {name for name in vars(zulip.Client) if not name.startswith("_")}
    assert responses.keys() == methods - ELSEWHERE
    refusals = {name: each for name, each in responses.items() if each["result"] != "success"}
    assert {name: each["code"] for name, each in refusals.items()} == WITHOUT
