"""Access to messages: an invisible message does not exist, for any endpoint."""

import pytest
from tests.support.people import Chat


def cannot_see(person, message) -> bool:
    person.get(f"/messages/{message.id}").fails("Invalid message(s)")
    assert person.get("/messages", message_ids=[message.id]).succeeds()["messages"] == []
    around = person.get("/messages", anchor=message.id, num_before=1).succeeds()
    assert message.id not in [each["id"] for each in around["messages"]]
    return True


def narrowed(person, channel) -> list[int]:
    narrow = [{"operator": "channel", "operand": channel}]
    response = person.get("/messages", anchor="newest", num_before=50, narrow=narrow).succeeds()
    return [each["id"] for each in response["messages"]]


def received(person) -> list[int]:
    """Received channel messages; a bot may have written to them besides."""
    response = person.get("/messages", anchor="newest", num_before=50).succeeds()
    return [each["id"] for each in response["messages"] if each["type"] == "stream"]


def test_a_message_in_both_forms(in_kitchen, ana):
    soup = ana.says("*Soup*", to="kitchen > lunch")

    html = ana.get(f"/messages/{soup.id}").succeeds()
    source = ana.get(f"/messages/{soup.id}", apply_markdown=False).succeeds()

    assert html["raw_content"] == source["raw_content"] == "*Soup*"
    assert html["message"]["content"].startswith("<p>")
    assert source["message"]["content"] == "*Soup*"


@pytest.mark.parametrize("number", ["0", "987654321", str(2**63), "9" * 40])
def test_an_unknown_message_is_invalid(chat, number):
    chat.person("ana").get(f"/messages/{number}").fails("Invalid message(s)")


def test_a_conversation_is_visible_to_its_participants(chat, ana, ben, cleo):
    root = chat.person("root", role="owner")

    secret = ana.says("psst", to=[ben])

    assert ben.sees(secret)
    for outsider in (cleo, root):
        assert cannot_see(outsider, secret)


def test_a_public_channel_is_visible_to_all_but_guests(chat):
    ana, ben = chat.person("ana", channels=["kitchen"]), chat.person("ben")
    gus = chat.person("gus", role="guest")

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert ben.sees(soup)["flags"] == ["read", "historical"]
    assert narrowed(ben, "kitchen") == [soup.id]
    assert received(ben) == []
    assert cannot_see(gus, soup)


def test_a_private_channel_is_visible_to_its_subscribers(chat, ana, ben):
    root = chat.person("root", role="owner")
    ana.joins("cellar", invite_only=True)

    secret = ana.says("It is dark", to="cellar > light")

    for outsider in (ben, root):
        assert cannot_see(outsider, secret)
    assert narrowed(root, "cellar") == []


def test_after_unsubscribing_a_private_channel_its_history_is_hidden(ana, ben):
    ana.joins("cellar", invite_only=True, principals=[ana.id, ben.id])
    secret = ana.says("It is dark", to="cellar > light")
    assert ben.sees(secret)

    ben.leaves("cellar")

    assert cannot_see(ben, secret)
    assert received(ben) == []


def test_a_protected_history_starts_with_the_subscription(ana, ben):
    ana.joins("cellar", invite_only=True)
    before = ana.says("before", to="cellar > light")
    ana.joins("cellar", principals=[ben.id])
    during = ana.says("during", to="cellar > light")
    ben.leaves("cellar")
    absent = ana.says("absent", to="cellar > light")
    ana.joins("cellar", principals=[ben.id])
    after = ana.says("after", to="cellar > light")

    for hidden in (before, absent):
        assert cannot_see(ben, hidden)
    assert narrowed(ben, "cellar") == received(ben) == [during.id, after.id]
    assert [ben.sees(each)["flags"] for each in (during, after)] == [["read"], []]


def test_a_shared_history_is_visible_from_the_beginning(ana, ben):
    ana.joins("library", invite_only=True, history_public_to_subscribers=True)
    before = ana.says("before", to="library > books")
    ana.joins("library", principals=[ben.id])
    after = ana.says("after", to="library > books")

    assert ben.sees(before)["flags"] == ["read", "historical"]
    assert ben.sees(after)["flags"] == []
    assert narrowed(ben, "library") == [before.id, after.id]
    assert received(ben) == [after.id]


@pytest.mark.parametrize("permission", ["can_add_subscribers_group", "can_subscribe_group"])
def test_users_who_may_join_may_read(ana, ben, permission):
    ana.joins(
        "library",
        invite_only=True,
        history_public_to_subscribers=True,
        **{permission: {"direct_members": [ben.id], "direct_subgroups": []}},
    )

    book = ana.says("x", to="library > books")

    assert ben.sees(book)["flags"] == ["read", "historical"]


def test_guests_read_their_own_channels(chat, in_kitchen, ana):
    before = ana.says("before", to="kitchen > lunch")
    gus = chat.person("gus", role="guest", channels=["kitchen"])
    after = ana.says("after", to="kitchen > lunch")

    assert narrowed(gus, "kitchen") == [before.id, after.id]
    gus.leaves("kitchen")
    assert cannot_see(gus, after)


def test_a_sender_who_is_not_subscribed_has_not_received_the_message(chat):
    chat.person("ana", channels=["kitchen"])
    ben = chat.person("ben")

    knock = ben.says("Hello?", to="kitchen > door")

    assert ben.sees(knock)["flags"] == ["read", "historical"]
    assert received(ben) == []


def test_another_organizations_messages_do_not_exist(chat):
    other = Chat.found(chat.server)
    eve = other.person("eve", channels=["kitchen"])
    ana = chat.person("ana", role="owner", channels=["kitchen"])

    theirs = eve.says("ours alone", to="kitchen > lunch")

    assert cannot_see(ana, theirs)
    kitchen = other.channel("kitchen").id
    ana.get(
        "/messages", anchor="newest", narrow=[{"operator": "channel", "operand": kitchen}]
    ).fails(f"Invalid narrow operator: unknown channel {kitchen}", code="BAD_NARROW")


def test_bots_have_the_same_access_as_users(chat, in_kitchen, ana):
    bot = chat.person("helper", bot="generic", owner=ana, channels=["kitchen"])

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert received(bot) == [soup.id]


def test_messages_survive_a_restart(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    soup = ana.says("Soup's on", to="kitchen > lunch")
    before = ana.sees(soup)

    own_chat.server.restart()

    assert ana.sees(soup) == before
