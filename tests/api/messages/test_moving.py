"""Moving messages to another topic or channel, alone or with others."""

import pytest

from tertulia import actions, storage
from tertulia.actions.messages.edits import MessageChanges
from tertulia.domain.personal.topic_policies import TopicPolicy

MUTED, UNMUTED, FOLLOWED = 1, 2, 3


def moves(person, message, **change):
    change.setdefault("send_notification_to_new_thread", False)
    return person.patch(f"/messages/{message.id}", **change)


def follows(chat, person, destination, policy):
    channel, _, topic = destination.partition(" > ")
    chat.write(_set_policy, person.id, chat.channel(channel).id, topic, policy)


def _set_policy(tx, user_id, channel_id, topic, policy):
    storage.personal.topic_policies.set_policy(tx, user_id, channel_id, topic, TopicPolicy(policy))


def policies(person):
    found = person.registers(fetch_event_types=["user_topic"])["user_topics"]
    return {(each["stream_id"], each["topic_name"]): each["visibility_policy"] for each in found}


def topics_of(person, *messages):
    return [person.sees(message)["subject"] for message in messages]


# Starting a topic follows it; tests about other things turn that off.
NO_FOLLOWING = {"automatically_follow_topics_policy": 4}


@pytest.fixture
def ana(chat):
    return chat.person("ana", channels=["porch"], settings=NO_FOLLOWING)


@pytest.fixture
def ben(chat):
    return chat.person("ben", channels=["porch"], settings=NO_FOLLOWING)


@pytest.fixture
def messages(ana, ben):
    """Three messages of Ana about chairs, in a channel where Ben is, too."""
    return [ana.says(f"chair {n}", to="porch > chairs") for n in range(3)]


def test_the_notice_of_a_move_is_not_the_first_message_of_a_channel_that_was_empty(chat, ana):
    moved = ana.says("chair", to="porch > chairs")
    ana.joins("attic")
    attic = chat.channel("attic")
    assert attic.first_message_id is None

    moves(ana, moved, stream_id=attic.id, send_notification_to_new_thread=True).succeeds()

    assert chat.channel("attic").first_message_id == moved.id


# --- topics ---


@pytest.mark.parametrize(
    "mode, expected",
    [
        ("change_one", ["chairs", "stools", "chairs"]),
        ("change_later", ["chairs", "stools", "stools"]),
        ("change_all", ["stools", "stools", "stools"]),
    ],
)
def test_propagation_modes(messages, ben, mode, expected):
    moves(ben, messages[1], topic="stools", propagate_mode=mode).succeeds()

    assert topics_of(ben, *messages) == expected


def test_all_recipients_receive_a_move(chat, eve, ana, ben, messages):
    queue, others = ana.listens_for("update_message"), eve.listens_for("update_message")

    moves(ben, messages[1], topic="stools", propagate_mode="change_later").succeeds()

    event = queue.next()
    assert event == {
        "type": "update_message",
        "user_id": ben.id,
        "edit_timestamp": event["edit_timestamp"],
        "message_id": messages[1].id,
        "rendering_only": False,
        "stream_name": "porch",
        "stream_id": chat.channel("porch").id,
        "propagate_mode": "change_later",
        "orig_subject": "chairs",
        "subject": "stools",
        "topic_links": [],
        "message_ids": [messages[1].id, messages[2].id],
        "flags": [],
    }
    assert others.silent()


def test_a_moved_message_shows_its_history(messages, ben):
    moves(ben, messages[0], topic="stools").succeeds()

    shown = ben.sees(messages[0])
    (edit,) = shown["edit_history"]
    assert (edit["prev_topic"], edit["topic"], edit["user_id"]) == ("chairs", "stools", ben.id)
    assert shown["last_moved_timestamp"] == edit["timestamp"]
    assert "last_edit_timestamp" not in shown


def test_the_empty_topic_has_a_name_for_older_clients(ana, ben, messages):
    capable = {"notification_settings_null": True, "empty_topic_name": True}
    queue = ana.listens_for("update_message", client_capabilities=capable)
    old_queue = ben.listens_for("update_message")

    moves(ben, messages[0], topic="general chat").succeeds()
    moves(ben, messages[0], topic="back").succeeds()

    new, old = queue.all(), old_queue.all()
    assert [(each["orig_subject"], each["subject"]) for each in new] == [
        ("chairs", ""),
        ("", "back"),
    ]
    assert [(each["orig_subject"], each["subject"]) for each in old] == [
        ("chairs", "general chat"),
        ("general chat", "back"),
    ]


def test_content_and_topic_can_change_together(ana, ben, messages):
    queue = ben.listens_for("update_message")

    moves(ana, messages[0], topic="sofas", content="sofa", propagate_mode="change_all").succeeds()

    event = queue.next()
    assert (event["content"], event["subject"]) == ("sofa", "sofas")
    assert event["message_ids"] == [message.id for message in messages]
    assert len(ben.sees(messages[0])["edit_history"]) == 1
    assert ben.sees(messages[1])["content"] == "<p>chair 1</p>"


def test_who_may_rename_topics(chat, ana, ben, messages):
    moderator = chat.person("mod", role="moderator", channels=["porch"])
    chat.permit("can_move_messages_between_topics_group", "moderators")

    moves(ben, messages[0], topic="x").fails("You don't have permission to edit this message")
    moves(moderator, messages[0], topic="x").succeeds()
    moves(ana, messages[1], topic="x").succeeds()  # she created the channel, and administers it


def test_moving_between_topics_has_a_time_limit(own_chat):
    ana = own_chat.person("ana", channels=["porch"])
    ben = own_chat.person("ben", channels=["porch"])
    moderator = own_chat.person("mod", role="moderator", channels=["porch"])
    own_chat.set("move_messages_within_stream_limit_seconds", 600)
    old = [ana.says(f"old {n}", to="porch > chairs") for n in range(2)]
    own_chat.server.clock.move(seconds=625)

    moves(ben, old[0], topic="x").fails(
        "The time limit for editing this message's topic has passed."
    )
    moves(ben, old[0], topic="x", propagate_mode="change_all").fails(
        "The time limit for moving this topic has passed."
    )
    new = ana.says("new", to="porch > chairs")
    refused = moves(ben, new, topic="x", propagate_mode="change_all").fails(
        "You only have permission to move the 1/3 most recent messages in this topic.",
        code="MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    )
    assert refused["first_message_id_allowed_to_move"] == new.id
    moves(ben, new, topic="x").succeeds()
    moves(moderator, old[0], topic="x", propagate_mode="change_all").succeeds()


def test_topics_that_a_channel_does_not_allow_are_refused(chat, messages, ben):
    chat.set("topics_policy", "disable_empty_topic")

    moves(ben, messages[0], topic="").fails(
        "Sending messages to the general chat is not allowed in this channel."
    )


def test_nothing_changes_in_an_archived_channel(chat, ana, messages):
    chat.write(
        lambda tx: tx.execute(
            "UPDATE channel SET archived = :yes WHERE realm_id = :realm AND name = 'porch'",
            yes=True,
            realm=tx.realm_id,
        )
    )

    moves(ana, messages[0], topic="x").fails("Invalid message(s)")
    ana.patch(f"/messages/{messages[0].id}", content="x").fails("Invalid message(s)")
    ana.delete(f"/messages/{messages[0].id}").fails("Invalid message(s)")
    ana.post(f"/messages/{messages[0].id}/reactions", emoji_name="tada").fails("Invalid message(s)")


# --- notices ---


def last_in(person, destination):
    channel, _, topic = destination.partition(" > ")
    narrow = [
        {"operator": "channel", "operand": channel},
        {"operator": "topic", "operand": topic},
    ]
    response = person.get(
        "/messages", anchor="newest", num_before=1, narrow=narrow, apply_markdown=False
    ).succeeds()
    return response["messages"][-1]


def test_a_moved_topic_gets_notices_at_both_ends(chat, ana, ben, messages):
    queue = ana.listens_for("update_message", "message", apply_markdown=True)

    ben.patch(
        f"/messages/{messages[0].id}",
        topic="benches",
        propagate_mode="change_all",
        send_notification_to_old_thread=True,
    ).succeeds()

    update, here, there = queue.all()
    channel_id = chat.channel("porch").id
    slug = f"{channel_id}-porch"
    who = f'<span class="user-mention silent" data-user-id="{ben.id}">Ben</span>'
    assert update["type"] == "update_message"
    assert here["message"]["subject"] == "benches"
    assert here["message"]["content"] == (
        f'<p>This topic was moved here from <a class="stream-topic" data-stream-id="{channel_id}"'
        f' href="/#narrow/channel/{slug}/topic/chairs">#porch &gt; chairs</a> by {who}.</p>'
    )
    assert there["message"]["subject"] == "chairs"
    assert there["message"]["content"] == (
        f'<p>This topic was moved to <a class="stream-topic" data-stream-id="{channel_id}"'
        f' href="/#narrow/channel/{slug}/topic/benches/with/{here["message"]["id"]}">'
        f"#porch &gt; benches</a> by {who}.</p>"
    )
    sender = here["message"]
    assert (sender["sender_full_name"], sender["client"]) == ("Notification Bot", "Internal")
    assert (here["flags"], ben.sees(here["message"]["id"])["flags"]) == ([], ["read"])


def test_a_partial_move_is_described_as_such(messages, ben):
    ben.patch(
        f"/messages/{messages[0].id}", topic="one", send_notification_to_old_thread=True
    ).succeeds()
    left = last_in(ben, "porch > chairs")["content"]
    came = last_in(ben, "porch > one")["content"]
    ben.patch(
        f"/messages/{messages[1].id}",
        topic="two",
        propagate_mode="change_later",
        send_notification_to_old_thread=True,
    ).succeeds()

    who = f"@_**Ben|{ben.id}**"
    assert left == f"A message was moved from this topic to #**porch>one** by {who}."
    assert came.startswith("[A message](http://")
    assert came.endswith(
        f"/topic/one/near/{messages[0].id}) was moved here from #**porch>chairs** by {who}."
    )
    assert last_in(ben, "porch > two")["content"] == (
        f"This topic was moved here from #**porch>chairs** by {who}."
    )


def test_a_move_of_a_part_of_a_topic(messages, ben):
    ben.patch(
        f"/messages/{messages[1].id}",
        topic="two",
        propagate_mode="change_later",
        send_notification_to_old_thread=True,
    ).succeeds()

    who = f"@_**Ben|{ben.id}**"
    assert last_in(ben, "porch > two")["content"] == (
        f"2 messages were moved here from #**porch>chairs** by {who}."
    )
    assert last_in(ben, "porch > chairs")["content"] == (
        f"2 messages were moved from this topic to #**porch>two** by {who}."
    )


def test_notices_can_be_turned_off(ana, ben, messages):
    queue = ana.listens_for("message")

    moves(ben, messages[0], topic="quiet").succeeds()

    assert queue.silent()


# --- resolving ---


def test_a_resolved_topic_gets_a_notice_that_is_read_for_most(chat):
    ana = chat.person("ana", channels=["porch"])
    ben, eve = chat.people("ben", "eve", channels=["porch"], settings=NO_FOLLOWING)
    curious = chat.person(
        "curious",
        channels=["porch"],
        settings={"resolved_topic_notice_auto_read_policy": "never", **NO_FOLLOWING},
    )
    muting = chat.person(
        "muting",
        channels=["porch"],
        settings={"resolved_topic_notice_auto_read_policy": "never", **NO_FOLLOWING},
    )
    muting.post(f"/users/me/muted_users/{ben.id}").succeeds()
    chair = ana.says("chair", to="porch > chairs")  # which makes her follow the topic
    everybody = (ana, ben, eve, curious, muting)
    queue = {who.name: who.listens_for("message") for who in everybody}

    moves(ben, chair, topic="✔ chairs", propagate_mode="change_all").succeeds()

    received = {name: each.next() for name, each in queue.items()}
    notice = received["Ana"]["message"]
    assert notice["content"] == f"@_**Ben|{ben.id}** has marked this topic as resolved."
    assert notice["subject"] == "✔ chairs"
    flags = {name: event["flags"] for name, event in received.items()}
    read = ["read"]
    assert flags == {"Ana": [], "Ben": read, "Eve": read, "Curious": [], "Muting": read}
    for person in everybody:
        assert person.sees(notice["id"])["flags"] == flags[person.name]
    assert "last_moved_timestamp" not in ana.sees(chair)


def test_a_topic_reopened_at_once_keeps_no_notices(own_chat):
    ana = own_chat.person("ana", channels=["porch"])
    chair = ana.says("chair", to="porch > chairs")
    moves(ana, chair, topic="✔ chairs", propagate_mode="change_all").succeeds()
    queue = ana.listens_for("message", "delete_message")

    moves(ana, chair, topic="chairs", propagate_mode="change_all").succeeds()
    first = [event["type"] for event in queue.all()]
    moves(ana, chair, topic="✔ chairs", propagate_mode="change_all").succeeds()
    own_chat.server.clock.move(seconds=61)
    moves(ana, chair, topic="chairs", propagate_mode="change_all").succeeds()

    assert first == ["delete_message"]
    received = [event["message"]["content"] for event in queue.all()]
    assert received == [
        f"@_**Ana|{ana.id}** has marked this topic as resolved.",
        f"@_**Ana|{ana.id}** has marked this topic as unresolved.",
    ]


def test_who_may_resolve(chat, messages, ben):
    chat.permit("can_resolve_topics_group", "moderators")

    moves(ben, messages[0], topic="✔ chairs", propagate_mode="change_all").fails(
        "You don't have permission to resolve topics in this channel."
    )
    moves(ben, messages[0], topic="✔ ").fails("General chat cannot be marked as resolved")


def test_resolving_needs_no_permission_to_move(chat, messages, ben):
    chat.permit("can_move_messages_between_topics_group", "moderators")

    moves(ben, messages[0], topic="✔ chairs", propagate_mode="change_all").succeeds()


# --- policies ---


def test_policies_move_with_a_whole_topic(chat, ana, ben, messages):
    porch_id = chat.channel("porch").id
    follows(chat, ana, "porch > chairs", FOLLOWED)
    follows(chat, ben, "porch > chairs", MUTED)
    queue = ana.listens_for("user_topic", "update_message")

    moves(ben, messages[0], topic="sofas", propagate_mode="change_all").succeeds()

    assert policies(ana) == {(porch_id, "sofas"): FOLLOWED}
    assert policies(ben) == {(porch_id, "sofas"): MUTED}
    received = [(event["type"], event.get("visibility_policy")) for event in queue.all()]
    assert received == [("user_topic", 0), ("user_topic", FOLLOWED), ("update_message", None)]


def test_policies_stay_while_messages_remain(chat, ana, ben, messages):
    follows(chat, ana, "porch > chairs", FOLLOWED)

    moves(ben, messages[0], topic="sofas").succeeds()

    assert policies(ana) == {(chat.channel("porch").id, "chairs"): FOLLOWED}


def test_where_topics_merge_the_more_visible_policy_wins(chat, ana, ben, messages):
    ana.says("sofa", to="porch > sofas")
    follows(chat, ana, "porch > chairs", FOLLOWED)
    follows(chat, ana, "porch > sofas", MUTED)
    follows(chat, ben, "porch > chairs", MUTED)

    moves(ben, messages[0], topic="sofas", propagate_mode="change_all").succeeds()

    assert policies(ana) == {(chat.channel("porch").id, "sofas"): FOLLOWED}
    assert policies(ben) == {}


def test_another_spelling_of_a_topic_is_the_same_topic(chat, ana, ben, messages):
    follows(chat, ana, "porch > chairs", FOLLOWED)
    queue = ana.listens_for("user_topic", "update_message")

    moves(ben, messages[0], topic="Chairs", propagate_mode="change_all").succeeds()

    assert [event["type"] for event in queue.all()] == ["update_message"]
    assert topics_of(ana, *messages) == ["Chairs"] * 3


# --- channels ---


def make(chat, owner, name, *subscribers, **options):
    owner.joins(name, **options)
    if subscribers:
        ids = [person.id for person in subscribers]
        owner.joins(name, principals=ids)
    return chat.channel(name).id


def test_a_message_moves_to_another_channel(chat, eve, ana, ben, messages):
    garden = make(chat, eve, "garden")
    queue, new_queue = ana.listens_for("update_message"), eve.listens_for("update_message")

    moves(ben, messages[0], stream_id=garden, propagate_mode="change_all").succeeds()

    event = queue.next()
    assert (event["stream_id"], event["new_stream_id"]) == (chat.channel("porch").id, garden)
    assert (event["orig_subject"], "subject" in event) == ("chairs", False)
    assert new_queue.next()["message_ids"] == [message.id for message in messages]
    assert new_queue.silent()
    shown = ana.sees(messages[0])
    assert (shown["stream_id"], shown["display_recipient"]) == (garden, "garden")
    (edit,) = shown["edit_history"]
    assert (edit["prev_stream"], edit["stream"]) == (chat.channel("porch").id, garden)


def test_moving_does_not_change_who_received_a_message(chat, eve, messages, ben):
    garden = make(chat, eve, "garden")

    moves(ben, messages[0], stream_id=garden, propagate_mode="change_all").succeeds()

    assert ben.sees(messages[0])["flags"] == []
    assert eve.sees(messages[0])["flags"] == ["read", "historical"]
    feed = ben.get("/messages", anchor="newest", num_before=9).succeeds()["messages"]
    assert [each["id"] for each in feed] == [message.id for message in messages]
    assert eve.get("/messages", anchor="newest", num_before=9).succeeds()["messages"] == []


def test_users_without_access_to_the_new_channel_lose_the_messages(chat, ana, ben, messages):
    boss = chat.person("boss", role="admin", channels=["porch"])
    cellar = make(chat, boss, "cellar", ana, invite_only=True)
    bereft = ben.listens_for("update_message", "delete_message", "message")
    queue = ana.listens_for("update_message", "delete_message")
    capable = {"notification_settings_null": True, "bulk_message_deletion": True}
    bulk = ben.listens_for("delete_message", client_capabilities=capable)

    moves(boss, messages[0], stream_id=cellar, propagate_mode="change_all").succeeds()

    assert [event["type"] for event in queue.all()] == ["update_message"]
    assert [event["type"] for event in bereft.all()] == ["delete_message"] * 3
    assert bulk.all() == [
        {
            "type": "delete_message",
            "message_ids": [message.id for message in messages],
            "stream_id": chat.channel("porch").id,
            "topic": "chairs",
            "message_type": "stream",
        }
    ]
    ben.get(f"/messages/{messages[0].id}").fails("Invalid message(s)")


def test_messages_from_a_private_channel_do_not_reveal_its_name(chat):
    ana, ben = chat.people("ana", "ben", channels=["porch"])
    ana.joins("cellar", invite_only=True)
    gold = ana.says("gold", to="cellar > gold")
    queue, own = ben.listens_for("update_message"), ana.listens_for("update_message")

    moves(ana, gold, stream_id=chat.channel("porch").id).succeeds()

    assert queue.next()["stream_name"] == ""
    assert own.next()["stream_name"] == "cellar"


@pytest.mark.usefixtures("messages")
def test_content_that_moved_out_of_sight_is_in_no_queue(chat, ana, ben):
    boss = chat.person("boss", role="admin", channels=["porch"])
    cellar = make(chat, boss, "cellar", invite_only=True)
    queue = ben.listens_for("message", "delete_message")
    secret = ana.says("swordfish", to="porch > secrets")

    moves(boss, secret, stream_id=cellar).succeeds()

    assert [event["type"] for event in queue.all()] == ["delete_message"]


def test_content_that_moved_out_of_sight_stays_hidden_after_a_restart(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["porch"])
    boss = own_chat.person("boss", role="admin", channels=["porch"])
    cellar = make(own_chat, boss, "cellar", invite_only=True)
    queue = ben.listens_for("message", "delete_message")
    secret = ana.says("swordfish", to="porch > secrets")
    moves(boss, secret, stream_id=cellar).succeeds()

    own_chat.server.restart()

    assert [event["type"] for event in queue.all()] == ["delete_message"]


def test_a_protected_history_shows_only_messages_since_subscribing(chat, messages, ben):
    boss, eve, late = (
        chat.person(name, role="admin", channels=["porch"]) for name in ("boss", "eve", "late")
    )
    cellar = make(chat, boss, "cellar", eve, invite_only=True, history_public_to_subscribers=False)
    queue = late.listens_for("update_message")

    moves(boss, messages[0], stream_id=cellar, propagate_mode="change_all").succeeds()
    boss.joins("cellar", principals=[late.id])

    assert eve.sees(messages[0])["stream_id"] == cellar
    late.get(f"/messages/{messages[0].id}").fails("Invalid message(s)")
    assert queue.silent()
    ben.get(f"/messages/{messages[0].id}").fails("Invalid message(s)")


@pytest.mark.parametrize("where", ["topic", "channel"])
def test_clients_load_again_if_too_many_users_received_other_parts(chat, monkeypatch, where):
    monkeypatch.setattr(storage.channels.subscriptions, "MAX_LISTED_MESSAGES", 3)
    boss, ana = chat.person("boss", role="admin"), chat.person("ana")
    ben, cleo = chat.people("ben", "cleo")
    make(chat, boss, "vault", ana, invite_only=True, history_public_to_subscribers=False)
    garden = make(chat, boss, "garden")
    first, second = (ana.says(word, to="vault > chairs") for word in ("one", "two"))
    boss.joins("vault", principals=[ben.id])
    third = ana.says("three", to="vault > chairs")
    boss.joins("vault", principals=[cleo.id])
    queues = {each: each.listens_for("update_message") for each in (ana, ben, cleo)}

    there = {"topic": "tables"} if where == "topic" else {"stream_id": garden}
    moves(boss, first, propagate_mode="change_all", **there).succeeds()

    assert queues[ana].next()["message_ids"] == [first.id, second.id, third.id]
    assert queues[ben].poll().json["code"] == "BAD_EVENT_QUEUE_ID"
    if where == "topic":  # the other channel is public
        assert queues[cleo].silent()
    place = ("subject", "tables") if where == "topic" else ("stream_id", garden)
    assert ben.sees(third)[place[0]] == place[1]


def test_who_may_move_between_channels(chat, ana, ben, messages):
    garden = make(chat, ana, "garden")
    ana.joins("cellar", invite_only=True)
    cellar = chat.channel("cellar").id
    guest = chat.person("gus", role="guest", channels=["porch"])

    moves(ben, messages[0], stream_id=987_654).fails("Invalid channel ID")
    moves(ben, messages[0], stream_id=cellar).fails("Invalid channel ID")
    moves(guest, messages[0], stream_id=garden).fails("Invalid channel ID")
    chat.permit("can_move_messages_between_channels_group", "moderators")
    moves(ben, messages[0], stream_id=garden).fails(
        "You don't have permission to move this message"
    )
    moves(ben, messages[0], stream_id=chat.channel("porch").id).fails("Nothing to change")


def test_moving_between_channels_has_a_time_limit(own_chat):
    ana = own_chat.person("ana", channels=["porch", "garden"])
    ben = own_chat.person("ben", channels=["porch", "garden"])
    chair = ana.says("chair", to="porch > chairs")
    own_chat.server.clock.move(hours=24 * 7 + 1)

    moves(ben, chair, stream_id=own_chat.channel("garden").id).fails(
        "The time limit for editing this message's channel has passed"
    )


def test_the_target_channel_decides_who_may_post(chat, ana, ben, messages):
    ana.joins("news", can_send_message_group=chat.group("moderators"))

    moves(ben, messages[0], stream_id=chat.channel("news").id).fails(
        "You do not have permission to post in this channel."
    )


# --- cost ---

ROWS_WRITTEN = {
    "sqlite": "SELECT total_changes() AS value",
    "postgres": "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS value"
    " FROM pg_stat_xact_user_tables",
}


@pytest.mark.parametrize(
    ("change", "each"), [("resolve", 0), ("rename", 0), ("other channel", 1), ("both", 1)]
)
def test_a_move_of_a_whole_topic_changes_its_row(chat, ana, change, each):
    """Other users cannot send meanwhile. In another channel each message has that channel."""
    count = 300
    boss = chat.person("boss", role="admin", channels=["porch", "cellar"])
    first, *_ = chat.fill(ana, "porch > chairs", count)
    cellar = chat.channel("cellar").id
    changes = {
        "resolve": MessageChanges(topic="✔ chairs", mode="change_all"),
        "rename": MessageChanges(topic="stools", mode="change_all"),
        "other channel": MessageChanges(channel_id=cellar, mode="change_all"),
        "both": MessageChanges(topic="stools", channel_id=cellar, mode="change_all"),
    }

    written = chat.write(rows_written_by, boss.id, first, changes[change])

    assert each * count <= written < each * count + 30


def rows_written_by(tx, user_id, message_id, changes):
    sql = ROWS_WRITTEN[tx.dialect.name]
    user, before = storage.people.users.find(tx, user_id), tx.value(sql)
    assert user is not None
    actions.messages.edits.change(tx, user, message_id, changes)
    return tx.value(sql) - before
