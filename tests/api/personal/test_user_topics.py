"""Topic policies: muting, unmuting and following, manual and automatic."""

import pytest

from tertulia import actions, domain
from tertulia.domain.messages.message import Draft, Mentions

NONE, MUTED, UNMUTED, FOLLOWED = 0, 1, 2, 3
MODERN = {"notification_settings_null": True, "empty_topic_name": True}


def policies(person):
    """Topic → policy, as a new client of this user gets it."""
    state = person.registers(fetch_event_types=["user_topic"], client_capabilities=MODERN)
    return {each["topic_name"]: each["visibility_policy"] for each in state["user_topics"]}


def changed(channel, topic, policy):
    return {
        "type": "user_topic",
        "stream_id": channel.id,
        "topic_name": topic,
        "visibility_policy": policy,
    }


def timeless(event):
    assert isinstance(event.pop("last_updated"), int)
    return event


@pytest.fixture
def kitchen(chat):
    chat.ana, chat.ben = chat.people("ana", "ben", channels=["kitchen"])
    return chat.channel("kitchen")


@pytest.mark.parametrize("policy", [MUTED, UNMUTED, FOLLOWED])
def test_a_policy_is_reported_only_to_its_owner(chat, kitchen, policy):
    queue, others = chat.ana.listens_for("user_topic"), chat.ben.listens_for()

    chat.ana.post(
        "/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=policy
    ).succeeds()

    assert timeless(queue.next()) == changed(kitchen, "soup", policy)
    assert queue.silent()
    assert others.silent()
    assert policies(chat.ana) == {"soup": policy}


def test_older_queues_get_all_mutes_first(chat, kitchen):
    everything, older = chat.ana.listens_for(), chat.ana.listens_for("muted_topics")
    named = chat.ana.listens_for("muted_topics", "user_topic")

    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED)

    mutes = everything.next()
    assert mutes["type"] == "muted_topics"
    ((name, topic, at),) = mutes["muted_topics"]
    assert (name, topic) == ("kitchen", "soup")
    assert isinstance(at, int)
    assert everything.next()["type"] == "user_topic"
    assert older.all() == [mutes]
    assert [event["type"] for event in named.all()] == ["user_topic"]


def test_older_queues_lose_a_mute_when_its_topic_is_merged_into_a_followed_one(chat, kitchen):
    soup, _ = chat.ana.says("Soup", "kitchen > soup"), chat.ana.says("Salad", "kitchen > salad")
    for topic, policy in (("soup", MUTED), ("salad", FOLLOWED)):
        chat.ana.post(
            "/user_topics", stream_id=kitchen.id, topic=topic, visibility_policy=policy
        ).succeeds()
    older = chat.ana.listens_for("muted_topics")

    chat.ana.patch(f"/messages/{soup.id}", topic="salad", propagate_mode="change_all").succeeds()

    assert [event["muted_topics"] for event in older.all()] == [[]]


def test_an_unchanged_policy_causes_no_event(chat, kitchen):
    for _ in range(2):
        queue = chat.ana.listens_for()
        chat.ana.post(
            "/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED
        ).succeeds()

    assert queue.silent()


def test_topics_match_regardless_of_case_and_keep_the_last_spelling(chat, kitchen):
    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="bread", visibility_policy=MUTED)
    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="BREAD", visibility_policy=UNMUTED)

    assert policies(chat.ana) == {"BREAD": UNMUTED}

    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="Bread", visibility_policy=NONE)

    assert policies(chat.ana) == {}


@pytest.mark.parametrize(
    "written, stored",
    [("", ""), ("general chat", ""), ("(no topic)", "(no topic)"), (" soup ", "soup")],
)
def test_only_the_display_name_means_the_empty_topic(chat, kitchen, written, stored):
    chat.ana.post(
        "/user_topics", stream_id=kitchen.id, topic=written, visibility_policy=FOLLOWED
    ).succeeds()

    assert policies(chat.ana) == {stored: FOLLOWED}


def test_the_empty_topic_has_a_name_for_older_queues(chat, kitchen):
    older = chat.ana.listens_for("user_topic")
    newer = chat.ana.listens_for("user_topic", client_capabilities=MODERN)

    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="", visibility_policy=FOLLOWED)

    assert older.next()["topic_name"] == "general chat"
    assert newer.next()["topic_name"] == ""


def test_a_visible_channel_need_not_be_subscribed(cleo, kitchen):
    cleo.post(
        "/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=FOLLOWED
    ).succeeds()


def test_a_hidden_channel_gets_the_same_answer_as_a_missing_one(chat):
    chat.person("ana").joins("vault", invite_only=True)
    ben = chat.person("ben")

    for channel_id in (chat.channel("vault").id, 987_654, -1, 2**70):
        response = ben.post(
            "/user_topics", stream_id=channel_id, topic="gold", visibility_policy=MUTED
        )
        response.fails("Invalid channel ID")
        ben.post(
            "/user_topics", stream_id=channel_id, topic="gold", visibility_policy=NONE
        ).succeeds()


def test_invalid_policies_are_refused(chat, kitchen):
    def tries(**params):
        params = {"stream_id": kitchen.id, "topic": "x", "visibility_policy": 1} | params
        return chat.ana.post("/user_topics", **params)

    tries(visibility_policy=4).fails(
        "Invalid visibility_policy: Value error, Not in the list of possible values"
    )
    tries(visibility_policy=None).fails("Missing 'visibility_policy' argument")
    tries(topic=None).fails("Missing 'topic' argument")
    tries(stream_id=None).fails("Missing 'stream_id' argument")
    tries(topic="w" * 61).fails("topic is too long (limit: 60 characters)")
    tries(topic="w" * 60).succeeds()
    chat.stranger.post("/user_topics").asks_to_log_in()


def test_the_number_of_policies_is_limited(chat, kitchen, monkeypatch):
    monkeypatch.setattr(domain.limits, "MAX_MUTED_TOPICS", 1)
    monkeypatch.setattr(domain.limits, "MAX_TOPIC_POLICIES", 2)

    def tries(topic, policy):
        return chat.ana.post(
            "/user_topics", stream_id=kitchen.id, topic=topic, visibility_policy=policy
        )

    tries("one", MUTED).succeeds()
    tries("two", MUTED).fails("Too many muted topics (limit: 1)")
    tries("one", MUTED).succeeds()
    tries("two", FOLLOWED).succeeds()
    tries("three", FOLLOWED).fails("Too many topics muted, unmuted or followed (limit: 2)")
    tries("two", UNMUTED).succeeds()
    assert chat.ana.says("Four", to="kitchen > four").answer.keys() >= {"id"}
    assert policies(chat.ana) == {"one": MUTED, "two": UNMUTED}


# --- the older endpoint ---


def test_muting_through_the_older_endpoint(chat, kitchen):
    path = "/users/me/subscriptions/muted_topics"
    queue = chat.ana.listens_for("user_topic")

    chat.ana.patch(path, stream_id=kitchen.id, topic="forks", op="add").succeeds()
    chat.ana.patch(path, stream="Kitchen", topic="forks", op="add").succeeds()

    assert timeless(queue.next()) == changed(kitchen, "forks", MUTED)
    assert queue.silent()

    chat.ana.patch(path, stream="kitchen", topic="Forks", op="remove").succeeds()
    chat.ana.patch(path, stream_id=kitchen.id, topic="forks", op="remove").succeeds()

    assert timeless(queue.next()) == changed(kitchen, "Forks", NONE)
    assert queue.silent()


def test_invalid_calls_of_the_older_endpoint_are_refused(chat, kitchen):
    chat.ben.joins("vault", invite_only=True)
    vault = chat.channel("vault")

    def tries(**params):
        params = {"topic": "x", "op": "add"} | params
        return chat.ana.patch("/users/me/subscriptions/muted_topics", **params)

    tries().fails("Missing 'stream_id' argument")
    both = tries(stream_id=kitchen.id, stream="kitchen")
    assert both.fails("Unsupported parameter combination: stream_id, stream")["parameters"]
    tries(stream_id=kitchen.id, op="toggle").fails("Invalid op")
    tries(stream_id=kitchen.id, topic=None).fails("Missing 'topic' argument")
    tries(stream_id=kitchen.id, topic="w" * 61).fails("topic is too long (limit: 60 characters)")
    for name in ("vault", "no such place"):
        tries(stream=name).fails(f"Invalid channel name '{name}'")
        tries(stream=name, op="remove").fails("Topic is not muted")
    for channel_id in (vault.id, 987_654):
        tries(stream_id=channel_id).fails("Invalid channel ID")
        tries(stream_id=channel_id, op="remove").fails("Topic is not muted")


def test_a_user_who_lost_a_channel_can_still_unmute_there(chat):
    chat.person("ana").joins("vault", invite_only=True)
    ben = chat.person("ben", channels=["vault"])
    vault = chat.channel("vault")
    ben.post("/user_topics", stream_id=vault.id, topic="gold", visibility_policy=MUTED).succeeds()
    ben.leaves("vault")

    ben.patch(
        "/users/me/subscriptions/muted_topics", stream="vault", topic="gold", op="remove"
    ).succeeds()

    assert policies(ben) == {}


# --- automatic changes ---


def settings(follow, unmute=4):
    return {
        "automatically_follow_topics_policy": follow,
        "automatically_unmute_topics_in_muted_streams_policy": unmute,
    }


def test_starting_a_topic_follows_it_before_the_message_event(chat, kitchen):
    queue = chat.ana.listens_for()

    sent = chat.ana.says("Soup's on", to="kitchen > soup")

    assert sent.answer["automatic_new_visibility_policy"] == FOLLOWED
    assert [event["type"] for event in queue.all()] == ["user_topic", "message"]


def test_sending_unmutes_a_topic_and_older_queues_are_informed(chat, kitchen):
    cleo = chat.person("cleo", channels=["kitchen"], settings=settings(follow=2))
    cleo.post("/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED)
    older = cleo.listens_for("muted_topics")

    sent = cleo.says("Still here", to="kitchen > soup")

    assert sent.answer["automatic_new_visibility_policy"] == FOLLOWED
    assert older.all() == [{"type": "muted_topics", "muted_topics": []}]


def mention(tx, sender, topic, *user_ids):
    draft = Draft("hey", "<p>hey</p>", 0, "test", True, Mentions(user_ids=frozenset(user_ids)))
    return actions.messages.send.to_channel(tx, sender, "kitchen", topic, draft)


def test_mentioned_users_follow_unless_they_muted_it_or_opted_out(chat, kitchen):
    chat.ana.says("First", to="kitchen > soup")
    keen, muter = chat.people("keen", "muter", channels=["kitchen"])
    shy = chat.person(
        "shy",
        channels=["kitchen"],
        settings={"automatically_follow_topics_where_mentioned": False},
    )
    muter.post("/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED)
    queue = keen.listens_for("user_topic", "message")

    chat.write(mention, chat.ana.record, "soup", keen.id, muter.id, shy.id)

    assert timeless(queue.next()) == changed(kitchen, "soup", FOLLOWED)
    assert queue.next()["type"] == "message"
    assert policies(muter) == {"soup": MUTED}
    assert policies(shy) == {}


@pytest.mark.parametrize(
    "follow, unmute, muted, expected",
    [(1, 4, False, FOLLOWED), (2, 4, False, None), (4, 1, True, UNMUTED), (4, 1, False, None)],
)
def test_participation_without_sending(chat, kitchen, follow, unmute, muted, expected):
    cleo = chat.person("cleo", channels=["kitchen"], settings=settings(follow, unmute))
    chat.write(mute_channel, cleo.id, kitchen.id, muted)

    chat.write(actions.personal.topic_policies.participated, cleo.record, kitchen, "soup")

    assert policies(cleo) == ({} if expected is None else {"soup": expected})


def mute_channel(tx, user_id, channel_id, muted):
    tx.execute(
        "UPDATE subscription SET is_muted = :muted WHERE user_id = :user AND channel_id = :channel",
        muted=muted,
        user=user_id,
        channel=channel_id,
    )


def test_policies_move_with_a_topic(chat, kitchen):
    chat.ben.joins("cellar", invite_only=True)
    cellar = chat.channel("cellar")
    for person in (chat.ana, chat.ben):
        person.post("/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED)
    queue = chat.ben.listens_for("user_topic")

    chat.write(actions.personal.topic_policies.move, kitchen.id, "soup", cellar, "wine")

    assert timeless(queue.next()) == changed(kitchen, "soup", NONE)
    assert timeless(queue.next()) == changed(cellar, "wine", MUTED)
    assert policies(chat.ana) == {}  # who cannot see the new channel


def test_policies_are_merged_with_topics(chat, kitchen):
    chat.ben.says("Wine", to="kitchen > wine")
    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="soup", visibility_policy=MUTED)
    chat.ana.post("/user_topics", stream_id=kitchen.id, topic="wine", visibility_policy=FOLLOWED)

    chat.write(actions.personal.topic_policies.move, kitchen.id, "soup", kitchen, "wine")

    assert policies(chat.ana) == {"wine": FOLLOWED}
    assert policies(chat.ben) == {"wine": FOLLOWED}
