"""Flags: read, starred and collapsed messages; and read receipts."""

import pytest


def flagged(person, messages, op, flag):
    ids = [getattr(message, "id", message) for message in messages]
    return person.post("/messages/flags", messages=ids, op=op, flag=flag)


def flags_event(op, flag, messages, **more):
    return {
        "type": "update_message_flags",
        "op": op,
        "operation": op,
        "flag": flag,
        "messages": [message.id for message in messages],
        "all": False,
        **more,
    }


def unread_ids(person):
    unread = person.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    groups = unread["pms"] + unread["huddles"] + unread["streams"]
    return sorted(each for group in groups for each in group["unread_message_ids"])


@pytest.fixture
def channels():
    return ["kitchen"]


@pytest.fixture
def messages(ana, ben):
    """Three messages of Ana in the kitchen, where Ben is, too."""
    return [ana.says(f"soup {n}", to="kitchen > lunch") for n in range(3)]


# --- read ---


def test_reading_is_reported_only_to_ones_own_clients(ana, ben, messages):
    queue, others = ben.listens_for("update_message_flags"), ana.listens_for("update_message_flags")

    response = flagged(ben, messages, "add", "read").succeeds()

    assert response["messages"] == [message.id for message in messages]
    assert response["ignored_because_not_subscribed_channels"] == []
    assert queue.next() == flags_event("add", "read", messages)
    assert ben.sees(messages[0])["flags"] == ["read"]
    assert unread_ids(ben) == []
    assert others.silent()


def test_only_changed_ids_are_reported_and_an_empty_change_too(messages, ben):
    flagged(ben, messages[:2], "add", "read").succeeds()
    queue = ben.listens_for("update_message_flags")

    flagged(ben, messages, "add", "read").succeeds()
    received = queue.all()
    flagged(ben, messages, "add", "read").succeeds()

    assert received == [flags_event("add", "read", messages[2:])]
    assert queue.all() == [flags_event("add", "read", [])]


def test_marking_unread_reports_the_conversation_of_each_message(chat):
    ana, ben, eve = chat.people("ana", "ben", "eve", channels=["kitchen"])
    soup = ana.says("soup", to="kitchen > ")
    between = ana.says("hey", to=[ben])
    among = ana.says("hey all", to=[ben, eve])
    to_self = ben.says("note", to=[ben], read_by_sender=True)
    messages = [soup, between, among, to_self]
    flagged(ben, messages, "add", "read").succeeds()
    queue = ben.listens_for("update_message_flags")

    flagged(ben, messages, "remove", "read").succeeds()

    kitchen = chat.channel("kitchen")
    assert queue.next() == flags_event(
        "remove",
        "read",
        messages,
        message_details={
            str(soup.id): {
                "type": "stream",
                "stream_id": kitchen.id,
                "topic": "general chat",
                "unmuted_stream_msg": True,
            },
            str(between.id): {"type": "private", "user_ids": [ana.id]},
            str(among.id): {"type": "private", "user_ids": sorted([ana.id, eve.id])},
            str(to_self.id): {"type": "private", "user_ids": []},
        },
    )
    assert unread_ids(ben) == sorted(message.id for message in messages)


def test_invisible_messages_are_not_found_and_stay_unchanged(ana, ben, eve):
    secret = ana.says("psst", to=[ben])

    assert flagged(eve, [secret], "add", "read").succeeds()["messages"] == [secret.id]
    flagged(eve, [secret], "add", "starred").fails("Invalid message(s)")
    flagged(eve, [secret], "remove", "starred").fails("Invalid message(s)")
    flagged(eve, [secret], "remove", "read").fails("Invalid message(s)")
    flagged(eve, [99_999_999], "add", "starred").fails("Invalid message(s)")
    flagged(eve, [2**70], "add", "starred").fails("Invalid message(s)")

    assert unread_ids(ben) == [secret.id]


@pytest.mark.parametrize(
    "op, flag, msg",
    [
        ("add", "mentioned", "Flag not editable: 'mentioned'"),
        ("add", "historical", "Flag not editable: 'historical'"),
        ("add", "wildcard_mentioned", "Flag not editable: 'wildcard_mentioned'"),
        ("add", "shiny", "Invalid flag: 'shiny'"),
        ("toggle", "read", "Invalid message flag operation: 'toggle'"),
    ],
)
def test_other_flags_cannot_be_changed(ana, op, flag, msg):
    flagged(ana, [], op, flag).fails(msg)


def test_invalid_parameters_are_refused(ana):
    ana.post("/messages/flags", op="add", flag="read").fails("Missing 'messages' argument")
    ana.post("/messages/flags", messages=5, op="add", flag="read").fails("messages is not a list")
    ana.post("/messages/flags", messages=["5"], op="add", flag="read").fails(
        "messages[0] is not an integer"
    )


def test_marking_unread_is_ignored_in_unsubscribed_channels(chat, messages, ben):
    ben.leaves("kitchen")
    queue = ben.listens_for("update_message_flags")

    response = flagged(ben, messages, "remove", "read").succeeds()

    assert response["ignored_because_not_subscribed_channels"] == [chat.channel("kitchen").id]
    assert queue.next() == flags_event("remove", "read", [], message_details={})
    assert unread_ids(ben) == []


def test_marking_unread_does_not_reveal_the_channel_of_a_hidden_message(ana, ben):
    ana.joins("cellar", invite_only=True)
    secret = ana.says("psst", to="cellar > gold")

    flagged(ben, [secret], "remove", "read").fails("Invalid message(s)")


# --- stars ---


def test_stars_are_added_and_removed(messages, ben):
    queue = ben.listens_for("update_message_flags")

    flagged(ben, messages[:2], "add", "starred").succeeds()
    starred = ben.registers(fetch_event_types=["starred_messages"])["starred_messages"]
    first = queue.all()
    flagged(ben, messages, "remove", "starred").succeeds()

    assert starred == [message.id for message in messages[:2]]
    assert first == [flags_event("add", "starred", messages[:2])]
    assert queue.all() == [flags_event("remove", "starred", messages[:2])]
    assert ben.sees(messages[0])["flags"] == []


def test_a_star_on_an_unreceived_message_makes_it_historical(chat, messages):
    eve = chat.person("eve")

    flagged(eve, messages[:1], "add", "starred").succeeds()

    assert eve.sees(messages[0])["flags"] == ["read", "starred", "historical"]
    assert eve.sees(messages[1])["flags"] == ["read", "historical"]
    feed = eve.get("/messages", anchor="newest", num_before=10).succeeds()["messages"]
    assert [message["id"] for message in feed] == [messages[0].id]


def test_a_new_subscriber_can_mark_older_messages_unread(chat, messages):
    eve = chat.person("eve", channels=["kitchen"])

    flagged(eve, messages[:1], "remove", "read").succeeds()

    assert eve.sees(messages[0])["flags"] == ["historical"]
    assert unread_ids(eve) == [messages[0].id]


def test_collapsing(messages, ben):
    flagged(ben, messages, "add", "collapsed").succeeds()

    assert ben.sees(messages[2])["flags"] == ["collapsed"]


# --- bulk ---


@pytest.mark.usefixtures("messages")
def test_everything_can_be_marked_read_at_once(ana, ben):
    ana.says("hey", to=[ben])
    queue = ben.listens_for("update_message_flags")

    assert ben.post("/mark_all_as_read").succeeds()["complete"] is True
    ben.post("/mark_all_as_read").succeeds()

    everything = flags_event("add", "read", []) | {"all": True}
    assert queue.all() == [everything, everything]
    assert unread_ids(ben) == []


def test_a_channel_or_a_topic_can_be_marked_read_at_once(chat, ana, ben, messages):
    other = ana.says("tea", to="kitchen > Drinks")
    empty = ana.says("hm", to="kitchen > ")
    kitchen_id = chat.channel("kitchen").id
    queue = ben.listens_for("update_message_flags")

    def read_topic(name):
        return ben.post("/mark_topic_as_read", stream_id=kitchen_id, topic_name=name)

    read_topic("general chat").succeeds()
    of_empty = queue.all()
    read_topic("drinks").succeeds()
    of_drinks = queue.all()
    read_topic("drinks").succeeds()
    read_topic("nowhere").succeeds()
    assert queue.silent()
    ben.post("/mark_stream_as_read", stream_id=kitchen_id).succeeds()
    of_channel = queue.all()
    ben.post("/mark_stream_as_read", stream_id=kitchen_id).succeeds()

    assert of_empty == [flags_event("add", "read", [empty])]
    assert of_drinks == [flags_event("add", "read", [other])]
    assert of_channel == [flags_event("add", "read", messages)]
    assert queue.silent()


def test_invalid_channels_and_topics_are_refused(chat, ana, ben):
    ana.joins("cellar", invite_only=True)
    cellar = chat.channel("cellar").id

    for stream_id in (987_654, cellar):
        ben.post("/mark_stream_as_read", stream_id=stream_id).fails("Invalid channel ID")
        ben.post("/mark_topic_as_read", stream_id=stream_id, topic_name="x").fails(
            "Invalid channel ID"
        )
    ben.post("/mark_stream_as_read").fails("Missing 'stream_id' argument")
    ben.post("/mark_topic_as_read", stream_id=cellar).fails("Missing 'topic_name' argument")
    ben.post("/mark_topic_as_read", stream_id=cellar, topic_name="x" * 61).fails(
        "topic_name is too long (limit: 60 characters)"
    )


def test_unsubscribing_marks_a_channel_read(ana, ben, messages):
    queue = ben.listens_for("subscription", "update_message_flags")

    ben.leaves("kitchen")

    received = queue.all()
    assert [event["type"] for event in received] == ["subscription", "update_message_flags"]
    assert received[1] == flags_event("add", "read", messages)
    ben.joins("kitchen")
    assert unread_ids(ben) == []
    assert len(unread_ids(ana)) == 3


# --- merging ---


def test_pending_flag_events_are_merged(messages, ben):
    queue = ben.listens_for("update_message_flags")

    for message in messages[:2]:
        flagged(ben, [message], "add", "starred").succeeds()
    for message in messages[:2]:
        flagged(ben, [message], "add", "read").succeeds()
        flagged(ben, [message], "remove", "starred").succeeds()

    assert queue.all() == [
        flags_event("add", "starred", messages[:2]),
        flags_event("add", "read", messages[:2]),
        flags_event("remove", "starred", messages[:2]),
    ]


def test_merged_events_leave_the_same_flags(messages, ben):
    queue = ben.listens_for("update_message_flags")

    flagged(ben, messages[:1], "add", "starred").succeeds()
    flagged(ben, messages[:1], "remove", "starred").succeeds()
    flagged(ben, messages[1:2], "add", "starred").succeeds()

    starred: set[int] = set()
    for response in queue.all():
        change = starred.update if response["op"] == "add" else starred.difference_update
        change(response["messages"])
    assert starred == {messages[1].id}


def test_repeated_opposite_changes_are_reported_once_each_way(messages, ben):
    queue = ben.listens_for("update_message_flags")

    for op in ("add", "remove", "add", "remove"):
        flagged(ben, messages[:1], op, "starred").succeeds()

    assert [event["op"] for event in queue.all()] == ["add", "remove"]


def test_marking_unread_is_never_merged(messages, ben):
    flagged(ben, messages, "add", "read").succeeds()
    queue = ben.listens_for("update_message_flags")

    for message in messages:
        flagged(ben, [message], "remove", "read").succeeds()

    assert [response["messages"] for response in queue.all()] == [
        [message.id] for message in messages
    ]


def test_fetched_events_stay_unchanged(messages, ben):
    queue = ben.listens_for("update_message_flags")

    flagged(ben, messages[:1], "add", "starred").succeeds()
    first = queue.poll().succeeds()["events"]
    flagged(ben, messages[1:], "add", "starred").succeeds()
    again = queue.poll().succeeds()["events"]

    assert again[0] == first[0]
    assert again[1]["messages"] == [message.id for message in messages[1:]]


def test_merged_events_survive_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    messages = [ana.says(f"soup {n}", to="kitchen > lunch") for n in range(3)]
    queue = ben.listens_for("update_message_flags")
    flagged(ben, messages[:1], "add", "starred").succeeds()
    queue.all()
    for message in messages[1:]:
        flagged(ben, [message], "add", "starred").succeeds()

    own_chat.server.restart()

    assert queue.all() == [flags_event("add", "starred", messages[1:])]


# --- read receipts ---


def readers(person, message):
    return person.get(f"/messages/{message.id}/read_receipts").succeeds()["user_ids"]


def test_who_has_read_a_message(chat, ana, ben, messages):
    eve = chat.person("eve", channels=["kitchen"])
    shy = chat.person("shy", channels=["kitchen"], settings={"send_read_receipts": False})
    tea = ana.says("tea?", to="kitchen > lunch")

    before = readers(ana, tea)
    flagged(ben, [tea], "add", "read").succeeds()
    flagged(shy, [tea], "add", "read").succeeds()
    ana.post("/mark_all_as_read").succeeds()

    assert before == []
    assert readers(eve, tea) == [ben.id]
    assert readers(ana, messages[0]) == []


@pytest.mark.usefixtures("messages")
def test_users_who_muted_each_other_do_not_see_read_receipts(chat, ana, ben):
    eve, ida = chat.people("eve", "ida", channels=["kitchen"])
    tea = ana.says("tea?", to="kitchen > lunch")
    flagged(ben, [tea], "add", "read").succeeds()
    flagged(eve, [tea], "add", "read").succeeds()

    ida.post(f"/users/me/muted_users/{ben.id}").succeeds()
    ida.post(f"/users/me/muted_users/{ana.id}").succeeds()
    more = ana.says("more?", to="kitchen > lunch")

    assert readers(ida, tea) == [eve.id, ida.id]
    assert readers(ben, tea) == [ben.id, eve.id]
    assert readers(eve, tea) == [ben.id, eve.id, ida.id]
    assert readers(eve, more) == [ida.id], "what a muted user writes arrives read"
    assert readers(ana, more) == []


def test_who_has_read_a_direct_message(ana, ben, eve):
    hey = ana.says("hey", to=[ben])
    flagged(ben, [hey], "add", "read").succeeds()

    assert readers(ana, hey) == [ben.id]
    eve.get(f"/messages/{hey.id}/read_receipts").fails("Invalid message(s)")


def test_read_receipts_can_be_turned_off(chat, ana, messages):
    chat.set("enable_read_receipts", False)

    ana.get(f"/messages/{messages[0].id}/read_receipts").fails(
        "Read receipts are disabled in this organization."
    )
