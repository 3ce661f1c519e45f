"""In a protected history nobody learns of what came before them, not even by its number."""

from typing import Any

import pytest
from tests.support.event_queue import EventQueue
from tests.support.people import Chat, Person

KINDS = ("update_message", "delete_message")
BULK = {"client_capabilities": {"notification_settings_null": True, "bulk_message_deletion": True}}


class Vault:
    """A channel with a protected history, into which people come one after the other."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.root = chat.person("root", role="owner")
        self.root.joins("vault", invite_only=True, history_public_to_subscribers=False)
        self.root.joins("attic", invite_only=True, history_public_to_subscribers=False)
        self.said: list[int] = []
        self.late: list[Person] = []
        for name in ("ana", "ben", "cleo"):
            self.said.append(self.root.says("psst", to="vault > gold").id)
            self.late.append(chat.person(name))
            self.root.joins("vault", principals=[self.late[-1].id])
        self.said.append(self.root.says("psst", to="vault > gold").id)
        self.ears: dict[str, EventQueue] = {
            person.name: person.listens_for(*KINDS, **BULK) for person in (self.root, *self.late)
        }
        self.known = {"Root": self.said} | {
            person.name: self.said[index + 1 :] for index, person in enumerate(self.late)
        }

    def told(self) -> dict[str, list[Any]]:
        """The numbers that each is told, by their events."""
        return {
            name: [(each["type"], each["message_ids"]) for each in ears.all()]
            for name, ears in self.ears.items()
        }


@pytest.fixture
def vault(chat: Chat) -> Vault:
    return Vault(chat)


def test_of_a_topic_that_is_renamed_each_hears_of_their_own_part(vault):
    first = f"/messages/{vault.said[0]}"

    vault.root.patch(first, topic="silver", propagate_mode="change_all").succeeds()

    assert vault.told() == {
        name: [("update_message", known)] for name, known in vault.known.items()
    }


def test_the_number_at_the_front_is_one_that_they_know_and_its_words_are_not_told(vault):
    first = f"/messages/{vault.said[0]}"

    vault.root.patch(first, topic="silver", content="psst!", propagate_mode="change_all").succeeds()

    told = {name: ears.next() for name, ears in vault.ears.items()}
    assert {name: each["message_id"] for name, each in told.items()} == {
        name: known[0] for name, known in vault.known.items()
    }
    assert [name for name, each in told.items() if "content" in each] == ["Root"]


def test_of_what_is_deleted_each_hears_of_what_they_had(vault):
    number = vault.chat.channel("vault").id

    vault.root.post(f"/streams/{number}/delete_topic", topic_name="gold").succeeds()

    assert vault.told() == {
        name: [("delete_message", known)] for name, known in vault.known.items()
    }


def test_of_what_goes_out_of_sight_each_hears_of_what_they_had(vault):
    first, attic = f"/messages/{vault.said[0]}", vault.chat.channel("attic").id

    vault.root.patch(first, stream_id=attic, propagate_mode="change_all").succeeds()

    told = vault.told()
    assert told.pop("Root") == [("update_message", vault.said)]
    assert told == {
        name: [("delete_message", vault.known[name])] for name in ("Ana", "Ben", "Cleo")
    }


def test_who_hears_of_it_late_hears_no_more(vault):
    delivery = vault.chat.server.application.delivery
    vault.chat.server.clock.move(minutes=5)
    vault.chat.server.call(delivery.give_up_cold_mailboxes)

    test_of_what_goes_out_of_sight_each_hears_of_what_they_had(vault)
