"""Notices of Notification Bot: subscriptions by others, new channels, changes."""

from typing import Any

import pytest
from tests.support.people import Chat, Person


def notices(queue: Any) -> list[dict[str, Any]]:
    return [event["message"] for event in queue.all() if event["type"] == "message"]


def mention(who: Person) -> str:
    return f"@_**{who.name}|{who.id}**"


def mention_html(who: Person) -> str:
    return f'<span class="user-mention silent" data-user-id="{who.id}">{who.name}</span>'


def channel_html(chat: Chat, name: str) -> str:
    number = chat.channel(name).id
    return (
        f'<a class="stream" data-stream-id="{number}"'
        f' href="/#narrow/channel/{number}-{name}">#{name}</a>'
    )


# --- subscribed by others -------------------------------------------------------------------------


def test_a_user_subscribed_by_another_gets_a_notice(chat, in_kitchen, ana):
    ben, cleo = chat.people("ben", "cleo")
    queue = ben.listens_for("message"), ben.listens_for("message", apply_markdown=True)
    others = ana.listens_for("message"), cleo.listens_for("message")

    ana.joins("kitchen", principals=[ben.id])

    (source,), (html,) = (notices(each) for each in queue)
    assert source["content"] == f"{mention(ana)} subscribed you to #**kitchen**."
    assert html["content"] == (
        f"<p>{mention_html(ana)} subscribed you to {channel_html(chat, 'kitchen')}.</p>"
    )
    assert (source["type"], source["client"], source["sender_full_name"]) == (
        "private",
        "Internal",
        "Notification Bot",
    )
    assert all(each.silent() for each in others)


def test_several_channels_are_one_message(chat):
    ana = chat.person("ana", channels=["kitchen", "garden"])
    ben = chat.person("ben")
    queue = ben.listens_for("message")

    ana.joins("kitchen", "garden", principals=[ben.id])

    (event,) = notices(queue)
    assert event["content"] == (
        f"{mention(ana)} subscribed you to the following channels:\n\n* #**garden**\n* #**kitchen**"
    )


def test_some_users_get_no_notice(chat, in_kitchen, ana, ben):
    bot = chat.person("bot", bot="generic", owner=ben)
    cleo = chat.person("cleo")
    queue = [who.listens_for("message") for who in (ana, ben, bot)]
    cleos = cleo.listens_for("message")

    ana.joins("kitchen", principals=[ana.id, ben.id, bot.id])  # already subscribed, or a bot
    ana.joins("attic", principals=[ana.id, ben.id])  # new
    response = ana.joins("kitchen", principals=[cleo.id], send_new_subscription_messages=False)

    assert all(each.silent() for each in queue)
    assert cleos.silent()
    assert "new_subscription_messages_sent" not in response


def test_subscribing_many_users_sends_no_notices(chat, in_kitchen, ana):
    crowd = chat.people(*(f"p{number}" for number in range(101)))
    queue = crowd[0].listens_for("message")

    response = ana.joins("kitchen", principals=[person.id for person in crowd])

    assert response["new_subscription_messages_sent"] is False
    assert queue.silent()


# --- new channels ---------------------------------------------------------------------------------


@pytest.fixture
def square(chat: Chat) -> int:
    """The channel for announcements."""
    chat.person("crier", channels=["square"])
    number = chat.channel("square").id
    chat.set("new_stream_announcements_stream_id", number)
    return number


def test_a_new_organization_announces_in_its_first_channel(ana, ben):
    queue = ben.listens_for("message")

    ana.joins("loud", announce=True)

    (notice,) = notices(queue)
    assert notice["display_recipient"] == "general"
    assert notice["sender_full_name"] == "Notification Bot"


def test_a_new_channel_is_announced_on_request(chat, square):
    ana, ben = chat.people("ana", "ben", channels=["square"])
    anas, bens = ana.listens_for("message"), ben.listens_for("message")

    ana.joins("quiet")
    ana.joins("loud", announce=True)

    (event,) = anas.all()
    assert event["flags"] == ["read"]
    (received,) = bens.all()
    assert received["flags"] == []
    assert received["message"]["subject"] == "new channels"
    assert received["message"]["content"] == f"{mention(ana)} created a new channel #**loud**."
    unread = ana.registers(fetch_event_types=["message", "update_message_flags"])["unread_msgs"]
    assert unread["count"] == 0


@pytest.mark.parametrize("role", ["member", "guest"])
def test_a_new_user_is_announced(chat, square, role):
    chat.set("signup_announcements_stream_id", square)
    queue = chat.person("ana", channels=["square"]).listens_for("message")

    eve = chat.person("eve", role=role)

    (received,) = queue.all()
    assert received["message"]["subject"] == "signups"
    assert received["message"]["content"] == f"{mention(eve)} joined this organization."


def test_bots_are_not_announced_and_an_archived_channel_gets_no_announcements(chat, square):
    ana = chat.person("ana", role="owner", channels=["square"])
    chat.set("signup_announcements_stream_id", square)
    queue = ana.listens_for("message")

    ana.post("/bots", full_name="Robot", short_name="robot").succeeds()
    assert queue.silent()
    ana.delete(f"/streams/{square}").succeeds()
    queue.all()
    chat.person("eve")

    assert queue.silent()


def test_several_new_channels_are_announced_together_and_private_ones_never(chat, square):
    ana = chat.person("ana", channels=["square"])
    queue = ana.listens_for("message")

    ana.joins("one", "two", announce=True)
    ana.joins("vault", announce=True, invite_only=True)
    ana.post("/channels/create", name="three", subscribers=[], announce=True).succeeds()

    assert [each["content"] for each in notices(queue)] == [
        f"{mention(ana)} created the following channels: #**one**, #**two**.",
        f"{mention(ana)} created a new channel #**three**.",
    ]


def test_an_archived_announcement_channel_gets_nothing(chat, square):
    ana = chat.person("ana", role="admin", channels=["square"])
    ana.delete(f"/streams/{square}").succeeds()
    queue = ana.listens_for("message")

    ana.joins("loud", announce=True)

    assert queue.silent()


# --- changes, where the organization wants notices ------------------------------------------------


@pytest.fixture
def talkative(chat: Chat) -> Chat:
    chat.set("send_channel_events_messages", True)
    return chat


@pytest.mark.parametrize(
    "settings, word",
    [
        ({}, "Public"),
        ({"invite_only": True}, "Private, protected history"),
        (
            {"invite_only": True, "history_public_to_subscribers": True},
            "Private, shared history",
        ),
    ],
)
def test_a_new_channel_starts_with_its_description(talkative, settings, word):
    ana, ben = talkative.people("ana", "ben")
    anas, bens = ana.listens_for("message"), ben.listens_for("message", apply_markdown=True)
    wanted = [{"name": "kitchen", "description": "Pots"}]

    ana.post(
        "/users/me/subscriptions",
        subscriptions=wanted,
        principals=[ana.id, ben.id],
        **settings,
    ).succeeds()

    (event,) = anas.all()
    assert event["flags"] == ["read"]
    assert event["message"]["subject"] == "channel events"
    assert event["message"]["content"] == (
        f"**{word}** channel created by {mention(ana)}. **Description:**\n```` quote\nPots\n````"
    )
    (found,) = notices(bens)
    assert found["content"] == (
        f"<p><strong>{word}</strong> channel created by {mention_html(ana)}."
        " <strong>Description:</strong></p>\n<blockquote>\n<p>Pots</p>\n</blockquote>"
    )


CHANGES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"new_name": "cookery"},
        "{ana} renamed channel **kitchen** to **cookery**.",
        "<p>{ana_html} renamed channel <strong>kitchen</strong> to <strong>cookery</strong>.</p>",
    ),
    (
        {"description": "Pots"},
        "{ana} changed the description for this channel.\n\n* **Old description:**\n"
        "```` quote\n*No description.*\n````\n* **New description:**\n```` quote\nPots\n````",
        "<p>{ana_html} changed the description for this channel.</p>\n<ul>\n<li><strong>Old"
        " description:</strong></li>\n</ul>\n<blockquote>\n<p><em>No description.</em></p>\n"
        "</blockquote>\n<ul>\n<li><strong>New description:</strong></li>\n</ul>\n<blockquote>\n"
        "<p>Pots</p>\n</blockquote>",
    ),
    (
        {"is_private": True},
        "{ana} changed the [access permissions](/help/channel-permissions) for this channel from"
        " **Public** to **Private, protected history**.",
        '<p>{ana_html} changed the <a href="/help/channel-permissions">access permissions</a> for'
        " this channel from <strong>Public</strong> to <strong>Private, protected history"
        "</strong>.</p>",
    ),
    (
        {"message_retention_days": 12},
        "{ana} has changed the [message retention period](/help/message-retention-policy) for"
        " this channel:\n\n* **Old retention period**: Forever\n* **New retention period**: 12"
        " days\n\nMessages in this channel will now be automatically deleted 12 days after they"
        " are sent.",
        '<p>{ana_html} has changed the <a href="/help/message-retention-policy">message retention'
        " period</a> for this channel:</p>\n<ul>\n<li><strong>Old retention period</strong>:"
        " Forever</li>\n<li><strong>New retention period</strong>: 12 days</li>\n</ul>\n<p>"
        "Messages in this channel will now be automatically deleted 12 days after they are"
        " sent.</p>",
    ),
]


@pytest.mark.parametrize("change, source, html", CHANGES)
def test_a_change_is_announced_in_the_channel(talkative, change, source, html):
    ana = talkative.person("ana", role="owner", channels=["kitchen"])
    queue = ana.listens_for("message"), ana.listens_for("message", apply_markdown=True)
    kitchen = talkative.channel("kitchen").id

    talkative.set("send_channel_events_messages", False)
    ana.patch(f"/streams/{kitchen}", topics_policy="allow_empty_topic").succeeds()
    talkative.set("send_channel_events_messages", True)
    ana.patch(f"/streams/{kitchen}", **change).succeeds()

    filled = {"ana": mention(ana), "ana_html": mention_html(ana)}
    (notice,), (shown,) = (notices(each) for each in queue)
    assert notice["subject"] == "channel events"
    assert notice["content"] == source.format(**filled)
    assert shown["content"] == html.format(**filled)


def test_the_posting_permission_is_announced_by_name(talkative):
    ana = talkative.person("ana", channels=["kitchen"])
    queue = ana.listens_for("message"), ana.listens_for("message", apply_markdown=True)
    everyone, members = talkative.group("everyone"), talkative.group("members")
    value = {"direct_members": [ana.id], "direct_subgroups": [members]}

    ana.patch(
        f"/streams/{talkative.channel('kitchen').id}", can_send_message_group={"new": value}
    ).succeeds()

    (notice,), (shown,) = (notices(each) for each in queue)
    assert notice["content"] == (
        f"{mention(ana)} changed the [posting permissions](/help/channel-posting-policy) for this"
        f" channel:\n\n* **Old**: @_*role:everyone*\n* **New**: @_*role:members*, {mention(ana)}"
    )
    assert (
        f'<span class="user-group-mention silent" data-user-group-id="{everyone}">Everyone</span>'
    ) in shown["content"]


def test_archiving_and_unarchiving_are_announced(talkative):
    ana = talkative.person("ana", channels=["kitchen"])
    path = f"/streams/{talkative.channel('kitchen').id}"
    queue = ana.listens_for("message")

    ana.delete(path).succeeds()
    ana.patch(path, is_archived=False).succeeds()

    assert [each["content"] for each in notices(queue)] == [
        "Channel #**kitchen** has been archived.",
        "Channel #**kitchen** has been unarchived.",
    ]


def test_names_cannot_inject_markup_into_a_notice(chat, ana):
    ana.joins("<b>&amp;")
    ben = chat.person("ben")
    queue = ben.listens_for("message", apply_markdown=True)

    ana.joins("<b>&amp;", principals=[ben.id])

    (event,) = notices(queue)
    assert "#&lt;b&gt;&amp;amp;</a>" in event["content"]
