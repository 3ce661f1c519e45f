"""Events that this server cannot read, apply or deliver: it reloads and continues."""

from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import events, storage
from tertulia.events.audience import Everyone, NoClients
from tertulia.events.directory.organization import Organization
from tertulia.events.types.channels.channel import ChannelCreated
from tertulia.events.types.people.known_people import DirectConversationStarted

STRANGE = {
    "kind": ("from_tomorrow", '{"to":"all"}', "{}"),
    "audience": ("realm_changed", '{"to":"dreamers"}', '{"property":"name","value":"Casa"}'),
    "broken audience": ("realm_changed", "all", '{"property":"name","value":"Casa"}'),
    "payload": ("realm_changed", '{"to":"all"}', '{"property":'),
    "other payload": ("message", '{"to":"all"}', '{"message_id":"one"}'),
}


@pytest.fixture
def kitchen(chat):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    return ana, ben, ben.listens_for("message", "subscription")


def something_strange(tx, name, entry, leaver=None):
    """A newer server writes an event that this one does not know."""
    storage.organization.realms.rename(tx, name)
    if leaver is not None:
        channel_id, user_id = leaver
        storage.channels.subscriptions.end(tx, [channel_id], [user_id], storage.log.head(tx), 0)
    storage.log.append(tx, *entry)


@pytest.mark.parametrize("what", STRANGE)
def test_an_unknown_event_does_not_end_a_parked_poll(chat, kitchen, what):
    ana, ben, queue = kitchen
    waiting = queue.waits()

    chat.write(something_strange, "Casa", STRANGE[what])
    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert [each["message"]["id"] for each in waiting.result(TIMEOUT_SECONDS)] == [soup.id]
    assert ben.registers()["realm_name"] == "Casa"
    assert directory(chat) == fresh_directory(chat)


@pytest.mark.parametrize("what", STRANGE)
def test_a_queue_without_mailbox_skips_an_unknown_event(chat, kitchen, what):
    ana, _, queue = kitchen
    soup = ana.says("Soup's on", to="kitchen > lunch")
    chat.write_from_outside(something_strange, "Casa", STRANGE[what])
    tea = ana.says("Tea?", to="kitchen > lunch")
    chat.server.becomes_cold()

    assert [each["message"]["id"] for each in queue.all()] == [soup.id, tea.id]
    assert directory(chat) == fresh_directory(chat)


def test_a_client_that_received_more_from_another_server_is_accepted(chat, kitchen):
    ana, _, queue = kitchen
    chat.write(something_strange, "Casa", STRANGE["kind"])
    strange = chat.head()
    soup = ana.says("Soup's on", to="kitchen > lunch")
    chat.server.becomes_cold()

    events = queue.poll(strange << 20).succeeds()["events"]

    assert [each["message"]["id"] for each in events] == [soup.id]


def test_a_user_removed_by_an_unknown_event_receives_no_more(chat, kitchen):
    ana, ben, queue = kitchen
    waiting = queue.waits()
    channel = (chat.channel("kitchen").id, ben.id)

    chat.write(something_strange, "Casa", STRANGE["kind"], channel)
    ana.says("Is he gone?", to="kitchen > lunch")
    tea = ana.says("Tea?", to=[ben])

    assert [each["message"]["id"] for each in waiting.result(TIMEOUT_SECONDS)] == [tea.id]
    assert directory(chat) == fresh_directory(chat)


def test_an_unknown_event_is_logged_once(chat, kitchen):
    ana, _, queue = kitchen
    with capture_logs() as lines:
        chat.write(something_strange, "Casa", STRANGE["kind"])
        for _ in range(3):
            chat.server.becomes_cold()
            queue.poll(-1).succeeds()
            ana.registers()

    (line,) = [each for each in lines if each["event"] == "events.skipped"]
    assert (line["kind"], line["seq"], line["reason"]) == (
        "from_tomorrow",
        chat.head(),
        "KeyError",
    )


def test_an_unknown_event_found_at_start_is_logged(own_chat):
    queue = own_chat.person("ben").listens_for("message")
    own_chat.write(something_strange, "Casa", STRANGE["kind"])
    own_chat.server.restart()

    with capture_logs() as lines:
        for _ in range(2):
            queue.poll(-1).succeeds()
            own_chat.server.becomes_cold()

    assert [each["event"] for each in lines].count("events.skipped") == 1


def test_an_event_that_does_not_fit_the_directory_causes_a_reload(chat, kitchen):
    def unheard_of(tx):
        storage.organization.realms.rename(tx, "Casa")
        events.log.announce(tx, DirectConversationStarted([999_999]), to=NoClients())

    ana, ben, queue = kitchen
    waiting = queue.waits()

    chat.write(unheard_of)
    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert [each["message"]["id"] for each in waiting.result(TIMEOUT_SECONDS)] == [soup.id]
    assert ben.registers()["realm_name"] == "Casa"
    eventually(lambda: directory(chat) == fresh_directory(chat))


def test_a_register_that_reads_an_unknown_event_first_is_correct(chat, kitchen):
    def unheard_of(tx):
        storage.organization.realms.rename(tx, "Casa")
        events.log.announce(tx, DirectConversationStarted([999_999]), to=NoClients())

    _, ben, _ = kitchen
    chat.write_from_outside(unheard_of)

    assert ben.registers()["realm_name"] == "Casa"
    assert directory(chat) == fresh_directory(chat)


def test_an_event_that_cannot_be_delivered_is_skipped(chat, kitchen):
    ana, ben, _ = kitchen
    queue = ben.listens_for("stream", "message")
    waiting = queue.waits()

    chat.write(events.log.announce, ChannelCreated(999_999), Everyone())
    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert [each["message"]["id"] for each in waiting.result(TIMEOUT_SECONDS)] == [soup.id]
    chat.server.becomes_cold()
    assert [each["type"] for each in queue.poll(-1).succeeds()["events"]] == ["message"]


def directory(chat) -> dict[str, Any]:
    return as_facts(chat.server.directory(chat.realm.id))


def fresh_directory(chat) -> dict[str, Any]:
    known = chat.server.directory(chat.realm.id)
    return as_facts(chat.read(events.directory.loader.load, known.email_domain, known.clock))


def as_facts(org: Organization) -> dict[str, Any]:
    """The whole state, without encoded and derived data."""
    passing = {
        "presence",
        "clock",
        "settled",
        "version",
        "load",
        "turned_at",
        "encoded",
        "channel_versions",
    }
    return {name: as_plain(value) for name, value in vars(org).items() if name not in passing}


def as_plain(value: Any) -> Any:
    """Indexes are compared by their contents."""
    parts = getattr(value, "__dict__", None)
    if parts is None:
        return value
    return {name: as_plain(part) for name, part in parts.items() if name != "_encoded"}
