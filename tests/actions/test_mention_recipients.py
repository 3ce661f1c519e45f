"""Mentions: who is called by a message, by name, by group or as one of all; and by an edit."""

import pytest

from tertulia import actions, events, storage
from tertulia.actions.messages.edits import MessageChanges
from tertulia.domain.groups.group import Members
from tertulia.domain.messages.message import Draft, Mentions
from tertulia.errors import BadRequest
from tertulia.errors.messages import WildcardNotAllowedInChannel
from tertulia.events.audience import NoClients
from tertulia.events.types.organization.settings import RealmCreated


def draft(content="hey", **mentions):
    return Draft(content, f"<p>{content}</p>", 0, "test", False, Mentions(**mentions))


def says(chat, person, channel, **mentions):
    sent = chat.write(
        actions.messages.send.to_channel, person.record, channel, "lunch", draft(**mentions)
    )
    return sent.message_id


def rewords(chat, person, message_id, **mentions):
    chat.write(
        actions.messages.edits.change,
        person.record,
        message_id,
        MessageChanges(draft=draft("hoy", **mentions)),
    )


def _make_group(tx, name, members, may_mention):
    group_id = storage.groups.insert(tx, name, "")
    everyone = storage.groups.system_ids(tx)["role:everyone"]
    names = ("can_add_members_group", "can_join_group", "can_leave_group", "can_manage_group")
    permissions = dict.fromkeys((*names, "can_remove_members_group"), everyone)
    storage.groups.set_permissions(tx, group_id, permissions | {"can_mention_group": may_mention})
    for user_id in members:
        tx.execute(
            "INSERT INTO user_group_member (realm_id, group_id, user_id) VALUES (:r, :g, :u)",
            r=tx.realm_id,
            g=group_id,
            u=user_id,
        )
    events.log.announce(tx, RealmCreated(), to=NoClients())  # the directory reads groups again
    return group_id


@pytest.fixture
def channels():
    return ["kitchen"]


def test_the_members_of_a_group_are_mentioned(chat, ana, ben, eve):
    gil = chat.person("gil")
    cooks = chat.write(_make_group, "cooks", [ben.id, gil.id], chat.group("everyone"))
    queue, others = ben.listens_for("message"), eve.listens_for("message")

    soup = says(chat, ana, "kitchen", group_ids=frozenset({cooks}))

    assert queue.next()["flags"] == ["mentioned"]
    assert others.next()["flags"] == []
    assert ben.sees(soup)["flags"] == ["mentioned"]
    assert gil.sees(soup)["flags"] == ["read", "historical"]


def test_a_mentioned_system_group_has_the_users_of_its_role(chat, ana, ben):
    chief = chat.person("chief", role="moderator", channels=["kitchen"])
    group = chat.write(_nest, chat.group("moderators"), chat.group("everyone"))

    soup = says(chat, ana, "kitchen", group_ids=frozenset({group}))

    assert chief.sees(soup)["flags"] == ["mentioned"]
    assert ben.sees(soup)["flags"] == []


def _nest(tx, inner, may_mention):
    group_id = _make_group(tx, "chiefs", [], may_mention)
    storage.groups.add_subgroups(tx, group_id, [inner])
    return group_id


def test_mentioning_a_group_requires_its_permission(chat, ana, ben):
    cooks = chat.write(_make_group, "cooks", [ben.id], Members([ben.id], []))

    with pytest.raises(BadRequest, match="not allowed to mention user group 'cooks'"):
        says(chat, ana, "kitchen", group_ids=frozenset({cooks}))
    assert says(chat, ben, "kitchen", group_ids=frozenset({cooks}))


def test_an_edit_changes_the_mentioned_users(chat, ana, ben, eve):
    soup = says(chat, ana, "kitchen", user_ids=frozenset({ben.id}))
    late = chat.person("late", channels=["kitchen"])
    queue = eve.listens_for("update_message")

    rewords(chat, ana, soup, user_ids=frozenset({eve.id, late.id}))

    assert queue.next()["flags"] == ["mentioned"]
    assert ben.sees(soup)["flags"] == []
    assert late.sees(soup)["flags"] == ["read", "historical"]


def test_an_edit_adds_and_removes_a_channel_wildcard(chat, ana, ben):
    soup = says(chat, ana, "kitchen")

    rewords(chat, ana, soup, channel_wildcard=True)
    called = ben.sees(soup)["flags"]
    rewords(chat, ana, soup)

    assert called == ["stream_wildcard_mentioned", "wildcard_mentioned"]
    assert ben.sees(soup)["flags"] == []


def test_an_edit_adds_a_topic_wildcard_for_participants(chat, ana, ben, eve):
    says(chat, ben, "kitchen")
    soup = says(chat, ana, "kitchen")

    rewords(chat, ana, soup, topic_wildcard=True)

    assert ben.sees(soup)["flags"] == ["topic_wildcard_mentioned", "wildcard_mentioned"]
    assert eve.sees(soup)["flags"] == []


def test_an_edit_checks_the_wildcard_permission_again(chat, ana):
    chat.people(*(f"p{n}" for n in range(15)), channels=["kitchen"])
    soup = says(chat, ana, "kitchen")

    with pytest.raises(WildcardNotAllowedInChannel):
        rewords(chat, ana, soup, channel_wildcard=True)
