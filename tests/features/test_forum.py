"""The forum of a channel: topics with their opening messages."""

import pytest


def forum(person, channel="kitchen", **params):
    return person.get(f"/streams/{person.chat.channel(channel).id}/forum", **params).succeeds()


def names(found):
    return [each["name"] for each in found["topics"]]


@pytest.fixture
def cooks(chat):
    """Ana, Ben and Cleo, and three topics: two of them have no reply, one of these is resolved."""
    ana, ben, cleo = chat.people("ana", "ben", "cleo", channels=["kitchen"])
    ana.says("Which pot?", to="kitchen > pots")
    ana.says("Where is the salt?", to="kitchen > salt")
    ben.says("The knives are sharp", to="kitchen > ✔ knives")
    for person in (ben, cleo, ben):
        person.says("The large one", to="kitchen > Pots")
    return ana, ben, cleo


def test_each_topic_has_its_opening_message_and_its_last_authors(cooks):
    ana, ben, cleo = cooks

    found = forum(ana)

    pots, knives, salt = found["topics"]
    assert pots["name"] == "Pots"
    assert pots["reply_count"] == 3
    assert pots["last_authors"] == [ben.id, cleo.id]
    shown = [ana.get(f"/messages/{each['first_id']}").succeeds() for each in (pots, knives, salt)]
    assert [each["raw_content"] for each in shown] == [
        "Which pot?",
        "The knives are sharp",
        "Where is the salt?",
    ]
    assert salt["first_id"] == salt["max_id"]
    assert (salt["reply_count"], salt["last_authors"]) == (0, [])


@pytest.mark.parametrize(
    ("order", "topics"),
    [
        ("latest", ["Pots", "✔ knives", "salt"]),
        ("newest", ["✔ knives", "salt", "Pots"]),
        ("unanswered", ["salt"]),
    ],
)
def test_topics_have_the_order_that_was_asked_for(cooks, order, topics):
    found = forum(cooks[0], order=order)

    assert names(found) == topics
    assert found["unanswered_count"] == 1


def test_topics_come_in_parts(cooks):
    first, second = (forum(cooks[0], limit=2, offset=offset) for offset in (0, 2))

    assert names(first) == ["Pots", "✔ knives"]
    assert names(second) == ["salt"]
    assert (first["found_last"], second["found_last"]) == (False, True)


def test_a_new_subscriber_of_a_protected_channel_sees_only_what_came_since(chat, ana):
    ben = chat.person("ben")
    chat.permit("can_create_private_channel_group", "members")
    ana.joins("vault", invite_only=True, history_public_to_subscribers=False)
    ana.says("An old secret", to="vault > keys")
    ana.says("Another one", to="vault > gold")
    ana.joins("vault", principals=[ben.id])
    newest = ana.says("Welcome", to="vault > keys")

    found = forum(ben, "vault")

    assert names(found) == ["keys"]
    assert found["topics"][0]["first_id"] == newest.id
    assert found["topics"][0]["reply_count"] == 0
    assert forum(ana, "vault")["topics"][0]["reply_count"] == 1


def test_the_empty_topic_has_a_name_for_clients_that_do_not_know_it(ana):
    ana.joins("kitchen")
    ana.says("Hello", to="kitchen > ")

    assert names(forum(ana)) == ["general chat"]
    assert names(forum(ana, allow_empty_topic_name=True)) == [""]
