"""The phone app: one organization with everything that its model has.

The client of the tests checks every answer and event against the model (`support/phone_app.py`);
here are the app's own options, and proof that the check finds mistakes.
"""

import json

import pytest
from tests.support import phone_app
from tests.support.pictures import picture, uploads

EVENTS = {
    *("alert_words", "custom_profile_fields", "delete_message", "message", "muted_users"),
    *("presence", "reaction", "realm_emoji", "realm_user", "saved_snippets", "stream"),
    *("submessage", "subscription", "typing", "update_message", "update_message_flags"),
    *("user_group", "user_settings", "user_status", "user_topic"),
}


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
    responses = [{"id": phone, "value": "12"}]
    cleo.patch("/users/me/profile_data", data=responses).succeeds()
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
def test_the_app_parses_the_register_state(life, role):
    chat, ana, _, _ = life
    kind = {"bot": "generic", "owner": ana} if role == "bot" else {"role": role}
    who = chat.person("zoe", channels=["kitchen"], **kind)
    newer = ("archived_channels", "linkifier_url_template", "simplified_presence_events")

    chat.stranger.get("/server_settings").succeeds()
    capable = phone_app.CAPABILITIES | dict.fromkeys(newer, True)

    for options in (
        phone_app.OPTIONS,
        {"slim_presence": True, "client_capabilities": capable},
        {"slim_presence": True},
    ):
        assert phone_app.problem("InitialSnapshot", who.registers(**options)) == ""


def test_the_app_parses_unread_messages(life):
    _, ana, ben, cleo = life

    state = ben.registers(**phone_app.OPTIONS)

    waiting = state["unread_msgs"]
    assert [len(waiting[each]) for each in ("pms", "streams", "huddles")] == [1, 2, 1]
    assert waiting["huddles"][0]["user_ids_string"] == f"{ana.id},{ben.id},{cleo.id}"
    for part in ("realm_emoji", "presences", "user_status", "muted_users", "user_topics"):
        assert state[part], part


def test_the_app_parses_messages(life):
    _, ana, ben, _ = life
    options = {"anchor": "newest", "num_before": 50, "num_after": 0, "client_gravatar": False}
    soup = ana.says("Soup", to="kitchen > lunch")
    ben.post(f"/messages/{soup.id}/reactions", emoji_name="dot").succeeds()
    ana.patch(f"/messages/{soup.id}", content="Soup's on").succeeds()

    for narrow in ([], [{"operator": "is", "operand": "dm"}], [["search", "soup"]]):
        found = ben.get("/messages", narrow=narrow, allow_empty_topic_name=True, **options)
        assert found.succeeds()["messages"]


def test_the_app_parses_events(life):
    chat, ana, ben, cleo = life
    queue = ben.listens_for(**phone_app.OPTIONS)
    kitchen, garden = chat.channel("kitchen").id, chat.channel("garden").id
    echo = {"queue_id": queue.queue_id, "local_id": "1.5", "read_by_sender": True}

    own = ben.says("Mine", to="kitchen > lunch", **echo)
    soup = ana.says("@**Ben** Soup", to="kitchen > lunch")
    direct = ana.says("psst", to=[ben])
    ana.post(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ana.delete(f"/messages/{soup.id}/reactions", emoji_name="tada").succeeds()
    ben.patch(f"/messages/{own.id}", content="Ours", topic="dinner").succeeds()
    poll = ana.says("/poll Lunch?\nSoup\nBread", to="kitchen > lunch")
    vote = json.dumps({"type": "vote", "key": "canned,0", "vote": 1})
    cleo.post("/submessage", message_id=poll.id, msg_type="widget", content=vote).succeeds()
    for op in ("add", "remove"):
        found = {"messages": [own.id, soup.id, direct.id], "flag": "read"}
        ben.post("/messages/flags", op=op, **found).succeeds()
    ana.delete(f"/messages/{direct.id}").succeeds()
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

    received = queue.all()
    for event in received:
        assert phone_app.problem("Event", event | {"id": 1}) == ""
    assert EVENTS - {event["type"] for event in received} == set()
    (echoed,) = (each for each in received if each.get("local_message_id"))
    assert (echoed["message"]["id"], echoed["local_message_id"]) == (own.id, "1.5")


def test_the_app_parses_the_emoji_table(chat):
    url = chat.person("ana").registers(fetch_event_types=["realm"])["server_emoji_data_url"]

    table = json.loads(chat.stranger.raw("GET", "/" + url.split("/", 3)[3]).body)

    assert "tada" in table["code_to_names"]["1f389"]


def test_a_special_emoji_does_not_lock_the_app_out(chat, in_kitchen, ana, ben):
    phone = ben.with_headers(**phone_app.USER_AGENT)
    queue = phone.listens_for("user_status", **phone_app.OPTIONS)

    ana.post("/users/me/status", emoji_name="zulip").succeeds()

    state = phone.registers(**phone_app.OPTIONS)
    assert state["user_status"][str(ana.id)]["reaction_type"] == "zulip_extra_emoji"
    assert [event["reaction_type"] for event in queue.all()] == ["zulip_extra_emoji"]


STATUS = {"status_text": "", "emoji_name": "zulip", "emoji_code": "zulip"}


@pytest.mark.parametrize(
    "kind, value, found",
    [
        (
            "UserStatusChange",
            STATUS | {"reaction_type": "service_extra_emoji"},
            '.reaction_type: "service_extra_emoji" is not a ReactionType',
        ),
        ("UserStatusChange", STATUS | {"reaction_type": "zulip_extra_emoji"}, ""),
        ("Event", {"type": "soup", "id": 1}, ""),
        ("Event", {"type": "soup"}, ".id: null, but exact_int is needed"),
        ("[Reaction]", [{}], "[0].emoji_name: null, but string is needed"),
        ("GroupSettingValue", {"direct_members": [1]}, ".direct_subgroups: null, but a list is"),
        ("{int:ClientDevice}", {"a": {}}, ": the key 'a' is not a whole number"),
        ("ascending [int]", [2, 1], ": is not ascending"),
        ("Color", "#ABCDEF", ': "#ABCDEF", but Color is needed'),
        (
            "json PollEventSubmessage",
            '{"type": "vote", "key": "abc", "vote": 1}',
            '.key: "abc", but PollOptionKey is needed',
        ),
        (
            "json TodoEventSubmessage",
            '{"type": "strike", "key": "abc"}',
            '.key: "abc", but TodoTaskKey is needed',
        ),
    ],
)
def test_the_check_finds_what_the_app_cannot_read(kind, value, found):
    assert phone_app.problem(kind, value).startswith(found)
    assert bool(phone_app.problem(kind, value)) == bool(found)


def test_a_vote_that_the_app_cannot_read_spoils_its_message(chat, in_kitchen, ana):
    poll = ana.says("/poll Soup?\npea", to="kitchen > lunch")
    message = ana.sees(poll.id)
    bad = {"sender_id": ana.id, "msg_type": "widget", "content": '{"type": "vote", "key": "x"}'}

    assert phone_app.problem("Message", message) == ""
    spoiled = message | {"submessages": [*message["submessages"], bad]}

    assert phone_app.problem("Message", spoiled).startswith(".submessages[1].content.key")
