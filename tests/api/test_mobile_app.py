"""The mobile app: every answer and event has the keys and types that it needs."""

import json

import pytest
from tests.support import mobile
from tests.support.pictures import picture, uploads


@pytest.fixture
def life(chat):
    """An organization of Ana with some of everything, and Ben with the phone."""
    ana = chat.person("ana", role="owner", channels=["kitchen", "garden"])
    ben, cleo = chat.people("ben", "cleo", channels=["kitchen"])
    helper = chat.person("helper", bot="generic", owner=ana)
    ana.joins("cellar", invite_only=True)
    uploads(ana, "dot", picture()).succeeds()
    field = {"name": "Phone", "field_type": 1, "hint": "Any time"}
    phone = ana.post("/realm/profile_fields", **field).succeeds()["id"]
    answers = [{"id": phone, "value": "12"}]
    cleo.patch("/users/me/profile_data", data=answers).succeeds()
    ana.post("/channel_folders/create", name="House", description="").succeeds()
    ana.post("/user_groups/create", name="cooks", description="", members=[ben.id]).succeeds()
    cleo.post("/users/me/status", status_text="Busy", emoji_name="tada").succeeds()
    cleo.post("/users/me/presence", status="active", slim_presence=True).succeeds()
    for words, to in [
        ("@**Ben** Soup", "kitchen > lunch"),
        ("/me stirs", "kitchen > "),
        ("/poll Lunch?\nSoup\nBread", "kitchen > lunch"),
        ("psst", [ben]),
        ("all of us", [ben, cleo]),
    ]:
        ana.says(words, to=to)
    ben.post("/user_topics", stream_id=chat.channel("kitchen").id, topic="x", visibility_policy=1)
    ben.post("/users/me/muted_users/" + str(helper.id)).succeeds()
    ben.post("/users/me/alert_words", alert_words=["soup"]).succeeds()
    ben.post("/saved_snippets", title="Hello", content="Hello, world").succeeds()
    return chat, ana, ben, cleo


@pytest.mark.parametrize("role", ["owner", "member", "guest", "bot"])
def test_it_parses_the_register_state(life, role):
    chat, ana, _, _ = life
    kind = {"bot": "generic", "owner": ana} if role == "bot" else {"role": role}
    who = chat.person("zoe", channels=["kitchen"], **kind)
    newer = ("archived_channels", "linkifier_url_template", "simplified_presence_events")

    mobile.reads(chat.stranger.get("/server_settings").succeeds(), mobile.ServerSettings)
    mobile.reads(who.registers(**mobile.OPTIONS), mobile.Snapshot)
    capable = mobile.CAPABILITIES | dict.fromkeys(newer, True)
    mobile.reads(who.registers(slim_presence=True, client_capabilities=capable), mobile.Snapshot)
    mobile.reads(who.registers(slim_presence=True), mobile.Snapshot)


def test_it_parses_unread_messages(life):
    _, ana, ben, cleo = life
    state = ben.registers(**mobile.OPTIONS)

    mobile.reads(state, mobile.Snapshot)

    waiting = state["unread_msgs"]
    assert [len(waiting[each]) for each in ("pms", "streams", "huddles")] == [1, 2, 1]
    assert waiting["huddles"][0]["user_ids_string"] == f"{ana.id},{ben.id},{cleo.id}"
    for part in ("realm_emoji", "presences", "user_status", "muted_users", "user_topics"):
        assert state[part], part


def test_it_parses_messages(life):
    _, ana, ben, _ = life
    options = {"anchor": "newest", "num_before": 50, "num_after": 0, "client_gravatar": False}
    soup = ana.says("Soup", to="kitchen > lunch")
    ben.post(f"/messages/{soup.id}/reactions", emoji_name="dot").succeeds()
    ana.patch(f"/messages/{soup.id}", content="Soup's on").succeeds()

    for narrow in ([], [{"operator": "is", "operand": "dm"}], [["search", "soup"]]):
        found = ben.get("/messages", narrow=narrow, allow_empty_topic_name=True, **options)
        mobile.reads(found.succeeds(), mobile.Fetched)
        assert found.json["messages"]


def test_it_parses_events(life):
    chat, ana, ben, cleo = life
    ears = ben.listens_for(**mobile.OPTIONS)
    kitchen, garden = chat.channel("kitchen").id, chat.channel("garden").id
    echo = {"queue_id": ears.queue_id, "local_id": "1.5", "read_by_sender": True}

    own = ben.says("Mine", to="kitchen > lunch", **echo)
    soup = ana.says("@**Ben** Soup", to="kitchen > lunch")
    whisper = ana.says("psst", to=[ben])
    ana.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ana.delete(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ben.patch(f"/messages/{own.id}", content="Ours", topic="dinner").succeeds()
    poll = ana.says("/poll Lunch?\nSoup\nBread", to="kitchen > lunch")
    vote = json.dumps({"type": "vote", "key": "canned,0", "vote": 1})
    cleo.post("/submessage", message_id=poll.id, msg_type="widget", content=vote).succeeds()
    for op in ("add", "remove"):
        found = {"messages": [own.id, soup.id, whisper.id], "flag": "read"}
        ben.post("/messages/flags", op=op, **found).succeeds()
    ana.delete(f"/messages/{whisper.id}").succeeds()
    ana.delete(f"/messages/{soup.id}").succeeds()
    for op in ("start", "stop"):
        cleo.post("/typing", op=op, type="direct", to=[ben.id]).succeeds()
        cleo.post("/typing", op=op, type="channel", stream_id=kitchen, topic="").succeeds()
    ben.post("/user_topics", stream_id=kitchen, topic="noise", visibility_policy=3).succeeds()
    ben.post(f"/users/me/muted_users/{cleo.id}").succeeds()
    ben.post("/users/me/alert_words", alert_words=["bread"]).succeeds()
    ben.patch("/settings", twenty_four_hour_time=True).succeeds()
    ben.post("/saved_snippets", title="Bye", content="Bye").succeeds()
    cleo.post("/users/me/status", emoji_name="", status_text="Here").succeeds()
    ana.post("/users/me/presence", status="active", slim_presence=True).succeeds()
    ana.joins("attic", principals=[ben.id, cleo.id], invite_only=True)
    cleo.leaves("kitchen")
    cleo.joins("kitchen")
    ana.leaves("attic", principals=[ben.id])
    ana.patch(f"/streams/{garden}", new_name="yard", description="*Roses*").succeeds()
    changed = [{"stream_id": kitchen, "property": "is_muted", "value": True}]
    changed += [{"stream_id": kitchen, "property": "color", "value": "#ABC"}]
    ben.post("/users/me/subscriptions/properties", subscription_data=changed).succeeds()
    ana.post("/bots", full_name="Timer", short_name="timer", bot_type=1).succeeds()
    ana.patch(f"/users/{cleo.id}", full_name="Cleopatra", role=300).succeeds()
    ana.post("/user_groups/create", name="eaters", description="", members=[]).succeeds()
    group = ana.get("/user_groups").succeeds()["user_groups"][-1]["id"]
    ana.patch(f"/user_groups/{group}", name="guests").succeeds()
    ana.post(f"/user_groups/{group}/members", add=[ben.id]).succeeds()
    ana.post(f"/user_groups/{group}/members", delete=[ben.id]).succeeds()
    uploads(ana, "square", picture()).succeeds()
    ana.delete("/realm/emoji/square").succeeds()
    ana.post("/realm/profile_fields", name="Food", field_type=1).succeeds()

    heard = ears.all()
    for event in heard:
        if mobile.name_of(event) in mobile.EVENTS:
            mobile.reads(event, mobile.EVENTS[mobile.name_of(event)])
    assert mobile.EVENTS.keys() - {mobile.name_of(event) for event in heard} == set()
    (echoed,) = (each for each in heard if each.get("local_message_id"))
    assert (echoed["message"]["id"], echoed["local_message_id"]) == (own.id, "1.5")


def test_it_parses_the_emoji_table(chat):
    url = chat.person("ana").registers(fetch_event_types=["realm"])["server_emoji_data_url"]

    table = json.loads(chat.stranger.raw("GET", "/" + url.split("/", 3)[3]).body)

    assert "tada" in table["code_to_names"]["1f389"]
