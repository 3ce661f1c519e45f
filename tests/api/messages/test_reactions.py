"""Reactions: emoji on messages, of every type."""

import pytest


def reacts(person, message, name="tada", **more):
    return person.post(f"/messages/{message.id}/reactions", emoji_name=name, **more)


def takes_back(person, message, **which):
    return person.delete(f"/messages/{message.id}/reactions", **which)


def reaction_event(op, person, message, name, code, reaction_type="unicode_emoji"):
    return {
        "type": "reaction",
        "op": op,
        "user_id": person.id,
        "user": {
            "id": person.id,
            "email": f"user{person.id}@tertulia.invalid",
            "full_name": person.name,
            "is_mirror_dummy": False,
        },
        "message_id": message.id,
        "emoji_name": name,
        "emoji_code": code,
        "reaction_type": reaction_type,
    }


def reactions_on(person, message):
    return [
        (each["user_id"], each["emoji_name"], each["emoji_code"], each["reaction_type"])
        for each in person.sees(message)["reactions"]
    ]


@pytest.fixture
def soup(in_kitchen, ana, ben):
    """A message of Ana in the kitchen, where Ben is, too."""
    return ana.says("Soup's on", to="kitchen > lunch")


# --- adding ---


def test_all_recipients_receive_a_reaction(chat, soup, ana, ben):
    eve = chat.person("eve")
    queue, others = ana.listens_for("reaction"), eve.listens_for("reaction")

    reacts(ben, soup).succeeds()

    assert queue.next() == reaction_event("add", ben, soup, "tada", "1f389")
    assert others.silent()
    assert reactions_on(ana, soup) == [(ben.id, "tada", "1f389", "unicode_emoji")]


def test_a_repeated_reaction_is_refused(soup, ana):
    reacts(ana, soup).succeeds()

    reacts(ana, soup).fails("Reaction already exists.", code="REACTION_ALREADY_EXISTS")
    reacts(ana, soup, "no matter", emoji_code="1f389").fails(
        "Reaction already exists.", code="REACTION_ALREADY_EXISTS"
    )


def test_a_further_reaction_uses_the_existing_name(soup, ana, ben):
    reacts(ana, soup, "+1").succeeds()

    reacts(ben, soup, "like", emoji_code="1f44d", reaction_type="unicode_emoji").succeeds()

    assert reactions_on(ana, soup) == [
        (ana.id, "+1", "1f44d", "unicode_emoji"),
        (ben.id, "+1", "1f44d", "unicode_emoji"),
    ]


@pytest.mark.parametrize("reaction_type", ["service_extra_emoji", "zulip_extra_emoji"])
def test_the_special_emoji(soup, ana, ben, reaction_type):
    reacts(ana, soup, "zulip").succeeds()

    reacts(ben, soup, "zulip", emoji_code="zulip", reaction_type=reaction_type).succeeds()
    both = reactions_on(ana, soup)
    takes_back(ben, soup, emoji_code="zulip", reaction_type=reaction_type).succeeds()

    special = ("zulip", "zulip", "service_extra_emoji")
    assert both == [(ana.id, *special), (ben.id, *special)]
    assert reactions_on(ana, soup) == [(ana.id, *special)]


def test_the_image_of_the_special_emoji_is_where_clients_look_for_it(ana):
    image = ana.raw("GET", "/static/generated/emoji/images/emoji/unicode/zulip.png")

    assert (image.status, image.headers["Content-Type"]) == (200, "image/png")


@pytest.mark.parametrize(
    "name, more, msg",
    [
        ("no_such_thing", {}, "Emoji 'no_such_thing' does not exist"),
        ("tada", {"emoji_code": "1f42c"}, "Invalid emoji name."),
        ("tada", {"emoji_code": "ffff"}, "Invalid emoji code."),
        ("tada", {"emoji_code": "1f389", "reaction_type": "sticker"}, "Invalid emoji type."),
        ("x", {"emoji_code": "999", "reaction_type": "realm_emoji"}, "Invalid custom emoji."),
        ("x", {"emoji_code": "y", "reaction_type": "realm_emoji"}, "Invalid custom emoji."),
        (
            "zulip",
            {"emoji_code": "other", "reaction_type": "service_extra_emoji"},
            "Invalid emoji code.",
        ),
    ],
)
def test_invalid_emoji_are_refused(soup, ana, name, more, msg):
    reacts(ana, soup, name, **more).fails(msg)


def test_code_or_type_may_be_left_out(soup, ana):
    reacts(ana, soup, "dolphin", emoji_code="1f42c").succeeds()
    reacts(ana, soup, "octopus", reaction_type="unicode_emoji").succeeds()
    ana.post(f"/messages/{soup.id}/reactions").fails("Missing 'emoji_name' argument")

    assert [each[1] for each in reactions_on(ana, soup)] == ["dolphin", "octopus"]


def test_direct_messages_get_reactions_and_others_cannot_see_them(ana, ben, eve):
    hey = ana.says("hey", to=[ben])
    queue, others = ana.listens_for("reaction"), eve.listens_for("reaction")

    reacts(ben, hey, "wave").succeeds()

    assert queue.next() == reaction_event("add", ben, hey, "wave", "1f44b")
    assert others.silent()
    reacts(eve, hey).fails("Invalid message(s)")
    takes_back(eve, hey, emoji_name="wave").fails("Invalid message(s)")


def test_reacting_without_subscription_keeps_the_message(chat, soup):
    eve = chat.person("eve")

    reacts(eve, soup).succeeds()

    assert eve.sees(soup)["flags"] == ["read", "historical"]
    feed = eve.get("/messages", anchor="newest", num_before=5).succeeds()["messages"]
    assert [message["id"] for message in feed] == [soup.id]


def test_reacting_counts_as_participation(chat, in_kitchen, ana):
    ben = chat.person(
        "ben", channels=["kitchen"], settings={"automatically_follow_topics_policy": 1}
    )
    soup = ana.says("Soup's on", to="kitchen > lunch")
    queue = ben.listens_for("reaction", "user_topic")

    reacts(ben, soup).succeeds()

    received = queue.all()
    assert [event["type"] for event in received] == ["reaction", "user_topic"]
    assert (received[1]["topic_name"], received[1]["visibility_policy"]) == ("lunch", 3)


# --- removing ---


def test_a_reaction_is_removed_by_any_of_its_names(soup, ana, ben):
    queue = ben.listens_for("reaction")

    for which in (
        {"emoji_name": "+1"},
        {"emoji_name": "thumbs_up"},
        {"emoji_code": "1f44d"},
        {"emoji_code": "1f44d", "reaction_type": "unicode_emoji"},
    ):
        reacts(ana, soup, "+1").succeeds()
        takes_back(ana, soup, **which).succeeds()
        added, removed = queue.all()
        assert added["op"] == "add"
        assert removed == reaction_event("remove", ana, soup, "+1", "1f44d")
    assert reactions_on(ben, soup) == []


def test_a_missing_reaction_cannot_be_removed(soup, ana, ben):
    reacts(ben, soup).succeeds()
    gone = {"msg": "Reaction doesn't exist.", "code": "REACTION_DOES_NOT_EXIST"}

    takes_back(ana, soup, emoji_name="tada").fails(**gone)
    takes_back(ana, soup, emoji_code="1f389").fails(**gone)
    takes_back(ben, soup, emoji_name="tada", reaction_type="sticker").fails(**gone)
    takes_back(ana, soup, emoji_code="ffff").fails("Invalid emoji code")
    takes_back(ana, soup, emoji_code="77", reaction_type="realm_emoji").fails("Invalid emoji code")
    takes_back(ana, soup, emoji_name="no_such_thing").fails("Emoji 'no_such_thing' does not exist")
    takes_back(ana, soup).fails(
        "At least one of the following arguments must be present: emoji_name, emoji_code"
    )
    ana.delete("/messages/99999999/reactions", emoji_name="tada").fails("Invalid message(s)")
