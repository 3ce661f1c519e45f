"""Unread messages in a register are the same with and without cached data."""

UNREAD = ["message", "update_message_flags", "user_topic"]


def test_unread_from_caches_equals_unread_from_the_database(chat):
    olga = chat.person("olga", role="owner", channels=["kitchen", "garden", "attic"])
    ben, cleo, dora = chat.people("ben", "cleo", "dora", channels=["kitchen", "garden", "attic"])
    sent = [
        olga.says(f"{location} {number}", to=location)
        for location in (
            "kitchen > lunch",
            "kitchen > Lunch",
            "kitchen > tea",
            "garden > tea",
            "attic",
        )
        for number in range(3)
    ]
    lunch, tea, weeds, dust = sent[0], sent[6], sent[9], sent[12]
    kitchen, garden, attic = (chat.channel(name).id for name in ("kitchen", "garden", "attic"))
    acts = [
        lambda: read(ben, tea),
        lambda: read(cleo, weeds),
        lambda: olga.post(
            "/messages", type="channel", to="garden", topic="TEA", content="More weeds"
        ),
        lambda: olga.post("/messages", type="direct", to=[ben.id, cleo.id], content="Psst"),
        lambda: olga.post(f"/messages/{lunch.id}/reactions", emoji_name="tada"),
        lambda: olga.patch(f"/messages/{lunch.id}", content="Soup"),
        lambda: olga.patch(f"/messages/{lunch.id}", topic="dinner", propagate_mode="change_one"),
        lambda: olga.patch(f"/messages/{tea.id}", stream_id=garden, propagate_mode="change_later"),
        lambda: olga.delete(f"/messages/{weeds.id}"),
        lambda: mutes(ben, kitchen, "lunch"),
        lambda: ben.patch(f"/users/me/subscriptions/{garden}", property="is_muted", value="true"),
        lambda: follows(ben, garden, "tea"),
        lambda: cleo.delete("/users/me/subscriptions", subscriptions=["garden"]),
        lambda: olga.patch(f"/streams/{garden}", is_private=True),
        lambda: olga.patch(f"/messages/{dust.id}", stream_id=garden, propagate_mode="change_all"),
        lambda: olga.delete(f"/streams/{attic}"),
    ]

    for number, act in enumerate(acts):
        together(ben, cleo, dora)
        act()
        cached = together(ben, cleo, dora)
        chat.server.drop_caches(chat.realm.id)
        fresh = [unread_without_caches(chat, each) for each in (ben, cleo, dora)]

        assert cached == fresh, number


def read(person, message):
    person.post("/messages/flags", op="add", flag="read", messages=[message.id]).succeeds()


def mutes(person, channel_id, topic):
    _sets_policy(person, channel_id, topic, 1)


def follows(person, channel_id, topic):
    _sets_policy(person, channel_id, topic, 3)


def _sets_policy(person, channel_id, topic, policy):
    person.post(
        "/user_topics", stream_id=channel_id, topic=topic, visibility_policy=policy
    ).succeeds()


def together(*people):
    return [registered_unread(each) for each in people]


def registered_unread(person):
    return person.registers(fetch_event_types=UNREAD)["unread_msgs"]


def unread_without_caches(chat, person):
    chat.server.drop_caches(chat.realm.id)
    return registered_unread(person)
