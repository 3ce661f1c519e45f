"""The options of a queue decide what it receives, and in which form."""

import pytest

CAPABLE = {"notification_settings_null": True, "empty_topic_name": True}


def words(queue) -> list[str]:
    return [each["message"]["content"] for each in queue.all()]


def test_a_queue_receives_the_types_it_asked_for(in_kitchen, ana, ben):
    everything, nothing = ben.listens_for(), ben.listens_for(event_types=[])
    topics = ben.listens_for("user_topic", "moon_phase")

    ben.says("Soup's on", to="kitchen > lunch")
    ana.joins("garden")

    assert [each["type"] for each in everything.all()] == [
        "user_topic",
        "message",
        "stream",
        "subscription",
    ]
    assert [each["type"] for each in topics.all()] == ["user_topic"]
    assert nothing.silent()


def test_content_is_source_or_html(in_kitchen, ana):
    source, html = ana.listens_for("message"), ana.listens_for("message", apply_markdown=True)

    ana.says("Soup's & bread", to="kitchen > lunch")

    first, second = source.next()["message"], html.next()["message"]
    assert (first["content"], first["content_type"]) == ("Soup's & bread", "text/x-markdown")
    assert (second["content"], second["content_type"]) == (
        "<p>Soup's &amp; bread</p>",
        "text/html",
    )


def test_the_empty_topic_has_a_name_for_older_clients(in_kitchen, ana):
    older = ana.listens_for("message", "user_topic")
    newer = ana.listens_for("message", "user_topic", client_capabilities=CAPABLE)

    ana.says("x", to="kitchen > ")

    assert [older.next()["topic_name"], older.next()["message"]["subject"]] == ["general chat"] * 2
    assert [newer.next()["topic_name"], newer.next()["message"]["subject"]] == ["", ""]


@pytest.mark.parametrize(
    "narrow, expected",
    [
        ([], "soup tea note"),
        ([["channel", "KITCHEN"]], "soup tea"),
        ([["stream", "kitchen"], ["topic", "lunch"]], "soup"),
        ([["stream", "garden"]], "roses done"),
        ([["topic", "LUNCH"]], "soup roses"),
        ([["sender", "{ana}"]], "soup roses note"),
        ([["is", "dm"]], "note"),
        ([["is", "private"]], "note"),
        ([["is", "unread"]], "soup roses done note"),
        ([["is", "mentioned"]], ""),
        ([["is", "resolved"]], "done"),
        ([["is", "dm"], ["topic", "lunch"]], ""),
    ],
)
def test_a_narrow_filters_messages(chat, in_kitchen, ana, ben, narrow, expected):
    cleo = chat.person("cleo", channels=["garden"])
    terms = [[operator, operand.format(ana=ana.api_email)] for operator, operand in narrow]
    queue = ben.listens_for("message", narrow=terms)

    ana.says("soup", to="kitchen > Lunch")
    ben.says("tea", to="kitchen > four o'clock", read_by_sender=True)
    ana.says("roses", to="garden > lunch")
    cleo.says("done", to="garden > ✔ weeds", read_by_sender=True)
    ana.says("note", to=[ben])
    ana.says("secret", to=[cleo])

    assert words(queue) == expected.split()


def test_a_narrow_filters_messages_only(in_kitchen, ana):
    queue = ana.listens_for("message", "user_topic", narrow=[["stream", "garden"]])

    ana.says("x", to="kitchen > lunch")

    assert [each["type"] for each in queue.all()] == ["user_topic"]


def test_a_queue_may_receive_all_public_channels(ana, ben):
    ana.joins("kitchen", "garden")
    ana.joins("cellar", invite_only=True)
    usual = ben.listens_for("message")
    wide = ben.listens_for("message", all_public_streams=True)
    narrowed = ben.listens_for("message", narrow=[["stream", "garden"]])

    ana.says("soup", to="kitchen > lunch")
    ana.says("roses", to="garden > beds")
    ana.says("secret", to="cellar > light")
    ana.says("hello", to=[ben])

    assert words(usual) == ["hello"]
    assert words(wide) == ["soup", "roses", "hello"]
    assert words(narrowed) == ["roses"]


def test_a_guests_narrow_gives_no_access(chat):
    gus = chat.person("gus", role="guest", channels=["garden"])
    ana = chat.person("ana", channels=["kitchen"])
    queue = gus.listens_for("message", narrow=[["topic", "lunch"]])

    ana.says("soup", to="kitchen > lunch")
    ana.says("roses", to="garden > lunch")

    assert words(queue) == ["roses"]


def test_avatars_may_be_left_to_the_client(own_chat):
    def use_gravatar(tx):
        tx.execute("UPDATE account SET avatar_source = 'G'")

    ana = own_chat.person("ana", channels=["kitchen"], settings={"email_address_visibility": 1})
    own_chat.write(use_gravatar)
    own_chat.server.restart()
    itself, event = ana.listens_for("message"), ana.listens_for("message", client_gravatar=False)

    ana.says("x", to="kitchen > lunch")

    assert itself.next()["message"]["avatar_url"] is None
    assert event.next()["message"]["avatar_url"]


def test_options_survive_a_restart(own_chat):
    ana, ben = own_chat.person("ana", channels=["garden"]), own_chat.person("ben")
    queue = ben.listens_for(
        "message",
        "user_topic",
        narrow=[["stream", "garden"]],
        apply_markdown=True,
        client_capabilities=CAPABLE,
    )

    own_chat.server.restart()
    ana.says("roses", to="garden > ")

    event = queue.next()["message"]
    assert (event["content"], event["subject"]) == ("<p>roses</p>", "")
