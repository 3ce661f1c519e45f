"""Protected history: a user learns nothing about earlier messages, not even their ids."""

from typing import Any

import pytest
from tests.support.event_queue import EventQueue
from tests.support.people import Chat, Person

KINDS = ("update_message", "delete_message")
BULK = {"client_capabilities": {"notification_settings_null": True, "bulk_message_deletion": True}}


class Vault:
    """A channel with protected history that users join one after the other."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.root = chat.person("root", role="owner")
        self.root.joins("vault", invite_only=True, history_public_to_subscribers=False)
        self.root.joins("attic", invite_only=True, history_public_to_subscribers=False)
        self.message_ids: list[int] = []
        self.late: list[Person] = []
        for name in ("ana", "ben", "cleo"):
            self.message_ids.append(self.root.says("psst", to="vault > gold").id)
            self.late.append(chat.person(name))
            self.root.joins("vault", principals=[self.late[-1].id])
        self.message_ids.append(self.root.says("psst", to="vault > gold").id)
        self.queues: dict[str, EventQueue] = {
            person.name: person.listens_for(*KINDS, **BULK) for person in (self.root, *self.late)
        }
        self.known = {"Root": self.message_ids} | {
            person.name: self.message_ids[index + 1 :] for index, person in enumerate(self.late)
        }

    def received(self) -> dict[str, list[Any]]:
        """The message ids in each user's events."""
        return {
            name: [(each["type"], each["message_ids"]) for each in queue.all()]
            for name, queue in self.queues.items()
        }


@pytest.fixture
def vault(chat: Chat) -> Vault:
    return Vault(chat)


def test_a_renamed_topic_is_reported_to_each_user_with_their_own_messages(vault):
    first = f"/messages/{vault.message_ids[0]}"

    vault.root.patch(first, topic="silver", propagate_mode="change_all").succeeds()

    assert vault.received() == {
        name: [("update_message", known)] for name, known in vault.known.items()
    }


def test_the_first_message_id_is_a_known_one_without_its_text(vault):
    first = f"/messages/{vault.message_ids[0]}"

    vault.root.patch(first, topic="silver", content="psst!", propagate_mode="change_all").succeeds()

    received = {name: queue.next() for name, queue in vault.queues.items()}
    assert {name: each["message_id"] for name, each in received.items()} == {
        name: known[0] for name, known in vault.known.items()
    }
    assert [name for name, each in received.items() if "content" in each] == ["Root"]


def test_deletions_are_reported_to_each_user_with_their_own_messages(vault):
    number = vault.chat.channel("vault").id

    vault.root.post(f"/streams/{number}/delete_topic", topic_name="gold").succeeds()

    assert vault.received() == {
        name: [("delete_message", known)] for name, known in vault.known.items()
    }


def test_moves_out_of_sight_are_reported_to_each_user_with_their_own_messages(vault):
    first, attic = f"/messages/{vault.message_ids[0]}", vault.chat.channel("attic").id

    vault.root.patch(first, stream_id=attic, propagate_mode="change_all").succeeds()

    found = vault.received()
    assert found.pop("Root") == [("update_message", vault.message_ids)]
    assert found == {
        name: [("delete_message", vault.known[name])] for name in ("Ana", "Ben", "Cleo")
    }


def test_a_late_poll_reveals_no_more(vault):
    vault.chat.server.becomes_cold()

    test_moves_out_of_sight_are_reported_to_each_user_with_their_own_messages(vault)
