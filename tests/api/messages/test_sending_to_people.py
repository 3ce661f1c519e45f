"""POST /messages to users: recipients and permissions."""

import json

import pytest
from tests.support.people import Chat

from tertulia import actions

DISABLED = "Direct messages are disabled in this organization."
UNAUTHORIZED = "This conversation does not include any users who can authorize it."
MAY_NOT_START = "You do not have permission to initiate direct message conversations."


def writes(caller, to, **params):
    return caller.post("/messages", **({"type": "direct", "to": to, "content": "psst"} | params))


def participants(seen) -> list[int]:
    return [each["id"] for each in seen["display_recipient"]]


@pytest.mark.parametrize("word", ["direct", "private"])
def test_a_complete_direct_message(ana, ben, word):
    response = writes(ana, [ben.id], type=word).succeeds()

    seen = ben.sees(response["id"])
    assert (seen["type"], seen["subject"], seen["content"]) == ("private", "", "<p>psst</p>")
    assert "stream_id" not in seen
    assert seen["display_recipient"] == [
        {
            "id": each.id,
            "email": each.api_email,
            "full_name": each.name,
            "is_mirror_dummy": False,
        }
        for each in (ana, ben)
    ]


@pytest.mark.parametrize(
    "write",
    [
        lambda ana, ben, cleo: [ben.id, cleo.id],
        lambda ana, ben, cleo: [cleo.id, ben.id, ben.id, ana.id],
        lambda ana, ben, cleo: json.dumps([ben.api_email, cleo.api_email.upper()]),
        lambda ana, ben, cleo: f"{ben.api_email}, {cleo.api_email}",
        lambda ana, ben, cleo: f"{cleo.api_email},{ben.api_email},",
    ],
    ids=["ids", "repeated", "addresses", "commas", "more commas"],
)
def test_recipients_may_be_named_in_several_ways(ana, ben, cleo, write):
    response = writes(ana, write(ana, ben, cleo)).succeeds()

    assert participants(ana.sees(response["id"])) == [ana.id, ben.id, cleo.id]


def test_the_same_recipients_are_the_same_conversation(ana, ben, cleo):
    first = ana.says("one", to=[ben, cleo])
    second = cleo.says("two", to=[ana, ben])
    apart = ana.says("three", to=[ben])

    places = [ben.sees(each)["recipient_id"] for each in (first, second, apart)]
    assert places[0] == places[1] != places[2]


def test_a_message_to_oneself(ana):
    note = ana.says("milk", to=[ana])

    assert participants(ana.sees(note)) == [ana.id]


def test_the_topic_of_a_direct_message_is_ignored(ana, ben):
    response = writes(ana, [ben.id], topic="unused").succeeds()

    assert ben.sees(response["id"])["subject"] == ""
    assert "automatic_new_visibility_policy" not in response


def test_the_answer_has_the_url_of_the_message(chat, ana, ben, cleo):
    two, three = ana.says("x", to=[ben]), ana.says("x", to=[cleo, ben])

    url = f"http://{chat.host}/#narrow/dm"
    assert two.answer["message_url"] == f"{url}/{ana.id},{ben.id}/near/{two.id}"
    group = f"{ana.id},{ben.id},{cleo.id}-group"
    assert three.answer["message_url"] == f"{url}/{group}/near/{three.id}"


@pytest.mark.parametrize(
    "to, msg",
    [
        (None, "Message must have recipients"),
        ("", "Message must have recipients"),
        ("[]", "Message must have recipients"),
        (" , ", "Message must have recipients"),
        ("8", "Invalid data type for recipients"),
        ("{}", "Invalid data type for recipients"),
        ("true", "Invalid data type for recipients"),
        ("[true]", "Invalid data type for recipients"),
        ("[1.5]", "Invalid data type for recipients"),
        ("[[1]]", "Invalid data type for recipients"),
        ('[1, "a@b.c"]', "Recipient lists may contain emails or user IDs, but not both."),
        ("[987654]", "Invalid user ID 987654"),
        ('["nobody@example.com"]', "Invalid email 'nobody@example.com'"),
        ("nobody@example.com", "Invalid email 'nobody@example.com'"),
    ],
)
def test_invalid_recipients_are_refused(chat, ana, to, msg):
    before = chat.head()

    writes(ana, to).fails(msg)

    assert chat.head() == before


@pytest.mark.parametrize("number", [-1, 0, 2**63, 10**25])
def test_an_impossible_id_is_an_unknown_user(chat, number):
    response = writes(chat.person("ana"), [number])

    assert response.status == 400
    assert response.json["msg"].startswith("Invalid user ID")


def test_a_hidden_address_works_for_users_who_may_see_it(chat, ana, ben):
    root = chat.person("root", role="owner")

    writes(ana, [ben.email]).fails(f"Invalid email '{ben.email}'")
    for sender in (root, ben):
        assert participants(sender.sees(writes(sender, [ben.email]).succeeds()["id"])) == sorted(
            {ben.id, sender.id}
        )


def test_a_public_address_reaches_its_owner(chat, ana):
    ben = chat.person("ben", settings={"email_address_visibility": 1})
    bot = chat.person("helper", bot="generic", owner=ana)

    response = writes(ana, f"{ben.email},{bot.email}").succeeds()

    assert participants(ana.sees(response["id"])) == [ana.id, ben.id, bot.id]


def test_users_of_another_organization_cannot_be_written_to(chat):
    ana, eve = chat.person("ana"), Chat.found(chat.server).person("eve")

    writes(ana, [eve.id]).fails(f"Invalid user ID {eve.id}")
    writes(ana, [eve.api_email]).fails(f"Invalid email '{eve.api_email}'")


def test_deactivated_users_cannot_be_written_to(chat, ana, ben):
    chat.write(actions.people.users.deactivate, ben.id)

    writes(ana, [ben.id]).fails("A recipient's account is deactivated.")


def test_a_conversation_may_have_many_participants(chat):
    ana, *others = chat.people("ana", *(f"p{number}" for number in range(40)))

    note = ana.says("party", to=others)

    assert len(participants(others[-1].sees(note))) == 41


# --- permissions ---


def test_direct_messages_can_be_switched_off(chat, ana, ben):
    bot = chat.person("helper", bot="generic", owner=ana)
    chat.permit("direct_message_permission_group", "nobody")

    writes(ana, [ben.id]).fails(DISABLED)

    ana.says("milk", to=[ana])
    ana.says("help", to=[bot])
    bot.says("ding", to=[ben])


def test_a_participant_must_have_the_permission(chat, ana, ben):
    moe = chat.person("moe", role="moderator")
    chat.permit("direct_message_permission_group", "moderators")

    writes(ana, [ben.id]).fails(UNAUTHORIZED)

    ana.says("hello", to=[moe])
    ana.says("hello", to=[ben, moe])


def test_starting_a_conversation_can_be_restricted(chat, ana, ben):
    moe = chat.person("moe", role="moderator")
    chat.permit("direct_message_initiator_group", "moderators")

    writes(ana, [moe.id]).fails(MAY_NOT_START)
    moe.says("You wanted something?", to=[ana])

    ana.says("Yes", to=[moe])
    writes(ana, [ben.id]).fails(MAY_NOT_START)


def test_a_webhook_may_write_to_users(chat, ana):
    hook = chat.person("hook", bot="incoming-webhook", owner=ana)

    note = hook.says("The build is red", to=[ana])

    assert ana.sees(note)["sender_id"] == hook.id
