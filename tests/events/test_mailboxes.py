"""Mailboxes are caches: a queue survives when its mailbox is dropped or full."""

from typing import Any, ClassVar

from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import actions, events, storage
from tertulia.events.audience import Audience, Everyone, Subscribers, Users
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import EphemeralEvent, TypingUpdate, TypingUser
from tertulia.events.listener import Listener
from tertulia.events.types.organization.settings import RealmChanged


class Word(EphemeralEvent, frozen=True):
    """An ephemeral event for users that a test chooses."""

    type: ClassVar[str] = "typing"

    word: str
    to: Audience

    def audience(self) -> Audience:
        return self.to

    def wire(self, org: Organization, to: Listener) -> TypingUpdate:
        typing = TypingUser(0, "nobody@example.com")
        return TypingUpdate(
            message_type="stream", op="start", sender=typing, stream_id=0, topic=self.word
        )


def publish(chat, word, to):
    chat.server.publish_ephemeral(chat.realm.id, Word(word, to))


def everything_that_can_happen(chat, ana, ben, cleo):
    """Actions in the organization that cause each kind of event."""
    ana.says("one", to="kitchen > count")
    ana.joins("garden", "attic")
    ana.joins("cellar", invite_only=True, principals=[ana.id, cleo.id])
    cleo.says("two", to="cellar > light")
    ana.joins("cellar", principals=[ben.id])
    ben.says("three", to="cellar > light")
    dora = chat.person("dora", channels=["garden", "kitchen"])
    dora.says("four", to=[ben, ana])
    ben.says("five", to="kitchen > new")
    ben.leaves("kitchen")
    ana.says("six", to="kitchen > count")
    ben.joins("kitchen")
    ana.says("seven", to="kitchen > count")
    ana.leaves("garden", principals=[dora.id])
    chat.set("name", "Casa")


OPTIONS: list[dict[str, Any]] = [
    {"apply_markdown": True, "client_gravatar": False},
    {"narrow": [["stream", "kitchen"]]},
    {"all_public_streams": True},
    {"client_capabilities": {"notification_settings_null": True, "empty_topic_name": True}},
]


def test_a_dropped_mailbox_is_rebuilt_as_it_was(chat):
    ana = chat.person("ana", role="admin", channels=["kitchen"])
    ben, cleo = chat.people("ben", "cleo", channels=["kitchen"])
    gus = chat.person("gus", role="guest", channels=["kitchen"])
    queues_ = [who.listens_for() for who in (ana, ben, cleo, gus)]
    queues_ += [ben.listens_for(**options) for options in OPTIONS]
    everything_that_can_happen(chat, ana, ben, cleo)
    before = [queue.poll(-1).succeeds()["events"] for queue in queues_]
    assert len(before[0]) > 10

    chat.server.becomes_cold()

    kept = chat.server.queue_ids(chat.realm.id)
    assert not {*kept} & {queue.queue_id for queue in queues_}
    assert [queue.poll(-1).succeeds()["events"] for queue in queues_] == before


def test_a_queue_without_mailbox_receives_what_happened_meanwhile(chat, in_kitchen, ana, ben):
    queue = ben.listens_for("message")
    chat.server.becomes_cold()

    soup = ana.says("Soup's on", to="kitchen > lunch")

    assert queue.next()["message"]["id"] == soup.id


def test_a_mailbox_with_a_parked_poll_is_not_dropped(chat, in_kitchen, ana, ben):
    waiting = ben.listens_for("message").waits()
    chat.server.becomes_cold()

    ana.says("Soup's on", to="kitchen > lunch")

    assert len(waiting.result(TIMEOUT_SECONDS)) == 1


def test_a_queue_far_behind_is_delivered_in_pages(chat):
    queue = chat.person("ana").listens_for("realm")
    much_happens(chat, 1010)
    chat.server.becomes_cold()

    pages = received_in_pages(queue)

    assert len(pages) > 1
    assert [number for page in pages for number in page] == list(range(1010))


def test_a_full_mailbox_takes_no_more_and_misses_nothing(chat):
    queue = chat.person("ana").listens_for("realm")
    much_happens(chat, 2100)

    pages = received_in_pages(queue)

    assert len(pages) > 1
    assert [number for page in pages for number in page] == list(range(2100))


def much_happens(chat, count):
    def announce_all(tx):
        for number in range(count):
            events.log.announce(tx, RealmChanged("digest_weekday", number), to=Everyone())

    chat.write(announce_all)


def received_in_pages(queue) -> list[list[int]]:
    pages = []
    while events := queue.all():
        pages.append([each["value"] for each in events])
    return pages


def test_the_log_may_be_trimmed_behind_the_last_reader(own_chat):
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    slow, quick = ben.listens_for("message"), ben.listens_for("message")
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")
    quick.all()
    quick.all()
    keep_positions(own_chat)
    own_chat.server.clock.move(minutes=11)
    own_chat.write(actions.housekeeping.trim_log)
    own_chat.server.becomes_cold()

    assert [each["message"]["content"] for each in slow.all()] == ["one", "two"]
    assert quick.silent()
    assert own_chat.read(storage.log.gaps) == []


def test_a_queue_whose_position_was_trimmed_must_be_registered_again(own_chat):
    def forget(tx):
        storage.log.delete_up_to(tx, storage.log.head(tx) - 1)

    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    queue = ben.listens_for("message")
    ana.says("one", to="kitchen > count")
    ana.says("two", to="kitchen > count")
    own_chat.write(forget)
    own_chat.server.becomes_cold()

    assert queue.poll().json["code"] == "BAD_EVENT_QUEUE_ID"


def keep_positions(chat):
    chat.write(storage.queues.store_positions, chat.server.positions(chat.realm.id))


# --- ephemeral events ---


def test_an_ephemeral_event_reaches_current_listeners(chat, in_kitchen, ana, ben):
    cleo = chat.person("cleo")
    hers, his, outside = (who.listens_for("typing", "message") for who in (ana, ben, cleo))
    deaf = ben.listens_for("message")

    publish(chat, "kitchen", Subscribers(chat.channel("kitchen").id))
    publish(chat, "ben", Users([ben.id]))
    publish(chat, "everyone", Everyone())

    assert [each["topic"] for each in hers.all()] == ["kitchen", "everyone"]
    assert [each["topic"] for each in his.all()] == ["kitchen", "ben", "everyone"]
    assert [each["topic"] for each in outside.all()] == ["everyone"]
    assert deaf.silent()


def test_an_ephemeral_event_wakes_a_parked_poll(chat, ana):
    waiting = ana.listens_for("typing").waits()

    publish(chat, "soup", Everyone())

    assert [each["topic"] for each in waiting.result(TIMEOUT_SECONDS)] == ["soup"]


def test_ephemeral_events_and_messages_keep_their_order(chat, in_kitchen, ana):
    queue = ana.listens_for("typing", "message")

    for number in range(3):
        publish(chat, f"before {number}", Everyone())
        ana.says(f"{number}", to="kitchen > count")
        publish(chat, f"after {number}", Everyone())

    received = [each.get("topic") or each["message"]["content"] for each in queue.all()]
    assert received == [
        "before 0",
        "0",
        "after 0",
        "before 1",
        "1",
        "after 1",
        "before 2",
        "2",
        "after 2",
    ]


def test_an_ephemeral_event_is_never_stored(chat, in_kitchen, ana):
    queue = ana.listens_for("typing", "message")
    before = chat.head()
    publish(chat, "start", Everyone())
    soup = ana.says("Soup's on", to="kitchen > lunch")

    chat.server.becomes_cold()

    assert [each["type"] for each in queue.all()] == ["message"]
    kinds = [entry.kind for entry in chat.read(storage.log.after, chat.realm.id, before, 100)]
    assert "typing" not in kinds
    assert soup.id


def test_a_queue_can_be_acknowledged_at_an_ephemeral_event(chat, in_kitchen, ana):
    queue = ana.listens_for("typing", "message")
    publish(chat, "start", Everyone())
    (start,) = queue.poll(-1).succeeds()["events"]
    ana.says("Soup's on", to="kitchen > lunch")

    rest = queue.poll(start["id"]).succeeds()["events"]

    assert [each["type"] for each in rest] == ["message"]
    chat.server.becomes_cold()
    assert queue.poll(start["id"]).succeeds()["events"] == rest
