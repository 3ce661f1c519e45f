"""A scheduled message is rendered when it is sent, with the names and permissions of that
moment."""

from tests.jobs.conftest import ClockedChat


def test_a_scheduled_mention_sets_flags_when_it_is_sent(chat: ClockedChat) -> None:
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    ana.post(
        "/scheduled_messages",
        type="channel",
        to=chat.channel("kitchen").id,
        topic="lunch",
        content="@**Ben** **soup**",
        scheduled_delivery_timestamp=chat.in_seconds(60),
    ).succeeds()
    queue = ben.listens_for("message", apply_markdown=True)

    chat.advance(seconds=61)

    event = queue.next()
    assert event["flags"] == ["mentioned"]
    assert event["message"]["content"] == (
        f'<p><span class="user-mention" data-user-id="{ben.id}">@Ben</span>'
        " <strong>soup</strong></p>"
    )


def test_a_scheduled_message_is_returned_rendered(chat: ClockedChat) -> None:
    ana = chat.person("ana", channels=["kitchen"])

    ana.post(
        "/scheduled_messages",
        type="channel",
        to=chat.channel("kitchen").id,
        topic="lunch",
        content="**soup**",
        scheduled_delivery_timestamp=chat.in_seconds(60),
    ).succeeds()

    (entry,) = ana.get("/scheduled_messages").succeeds()["scheduled_messages"]
    assert entry["rendered_content"] == "<p><strong>soup</strong></p>"
