"""The law of catching up: every quoted sentence is in a message that exists and that the reader may
see, as it reads now.

Random sends, edits, deletions, moves, joins and departures; then every user catches up. Each text
has a word of its own, so that an old version or a hidden message would be recognized.
"""

import random
from typing import Any

import pytest
from tests.support.database_plan import thorough_except
from tests.support.people import Chat, Person

from tertulia.domain.messages import notification_text

CHANNELS = ("open", "closed", "protected")
STEPS = 60


class World:
    def __init__(self, chat: Chat, seed: int) -> None:
        self.random = random.Random(seed)
        self.chat = chat
        self.admin = chat.person("admin", role="owner", channels=["open"])
        self.people = chat.people("ana", "ben", "cem", channels=["open"])
        self.people.append(chat.person("gus", role="guest"))
        members = [each.id for each in self.people]
        self.admin.joins("closed", invite_only=True, principals=[self.admin.id, *members])
        self.admin.joins(
            "protected",
            invite_only=True,
            history_public_to_subscribers=False,
            principals=[self.admin.id, *members[:2]],
        )
        self.sent: list[int] = []
        self.words = 0

    def text(self) -> str:
        self.words += 1
        called = self.random.choice(["", "@**Ana** ", "@**all** ", "Ben, "])
        kind = self.random.choice(["we decided on {}.", "can you bring {}?", "I saw {} today."])
        return called + kind.format(f"word{self.words}x") + self.random.choice(["", " Fine."])

    def step(self) -> None:
        actions = (self.send, self.send, self.send, self.edit, self.delete, self.move, self.change)
        self.random.choice(actions)()

    def send(self) -> None:
        sender = self.random.choice([self.admin, *self.people])
        if self.random.random() < 0.2:
            to: Any = [self.random.choice(self.people)]
        else:
            to = f"{self.random.choice(CHANNELS)} > {self.random.choice('xy')}"
        response = sender.tries_to_say(self.text(), to=to).json
        if response["result"] == "success":
            self.sent.append(response["id"])

    def edit(self) -> None:
        if self.sent:
            number = self.random.choice(self.sent)
            self.admin.patch(f"/messages/{number}", content=self.text())

    def delete(self) -> None:
        if self.sent:
            self.admin.delete(f"/messages/{self.random.choice(self.sent)}")

    def move(self) -> None:
        if self.sent:
            channel = self.chat.channel(self.random.choice(CHANNELS)).id
            mode = self.random.choice(["change_one", "change_later", "change_all"])
            path = f"/messages/{self.random.choice(self.sent)}"
            self.admin.patch(path, stream_id=channel, propagate_mode=mode)

    def change(self) -> None:
        who, name = self.random.choice(self.people), self.random.choice(CHANNELS)
        if self.random.random() < 0.5:
            self.admin.joins(name, principals=[who.id])
        else:
            self.admin.leaves(name, principals=[who.id])


@pytest.mark.parametrize("seed", thorough_except([0, 1], range(4)))
def test_only_visible_messages_are_quoted(chat, seed):
    world = World(chat, seed)
    quoted = 0
    for number in range(STEPS):
        world.step()
        if number % 20 == 19:
            quoted += sum(check(each) for each in [world.admin, *world.people])
    assert quoted


def check(reader: Person) -> int:
    caught_up = reader.get("/messages/catch_up", max_conversations=200).succeeds()
    sentences = [each for location in caught_up["conversations"] for each in location["sentences"]]
    for sentence in sentences:
        shown = reader.sees(sentence["message_id"])
        assert sentence["text"] in notification_text.plain_text(shown["content"])
        assert "read" not in shown["flags"]
    return len(sentences)
