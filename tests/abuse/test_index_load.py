"""Texts that are hard to index: while their sender posts them, others send as quickly as ever.

The attack and plain messages of the same length take turns in one run. The best round of each
counts, and a machine that is busy with other work slows both: before the index was bounded, a send
waited for a second or more in every round of the attack, and for 15 s on a slow disk.
"""

import random
import time
from concurrent.futures import Future
from functools import partial
from itertools import cycle, islice

from tests.support.event_queue import in_background
from tests.support.people import Chat, Person
from tests.support.unusual_texts import HOSTILE, english

MAX_ROUNDS = 4
MESSAGES_PER_ROUND = 50
MAX_ADDED_SECONDS = 0.2
MAX_SLOWDOWN = 4  # where other processes use the processors as well
PAUSE_SECONDS = 0.01


def test_unusual_texts_do_not_delay_sends_of_others(own_chat: Chat) -> None:
    chance = random.Random(1)
    ana, ben = own_chat.people("ana", "ben", channels=["kitchen"])
    slowest: dict[str, list[float]] = {"plain": [], "unusual": []}

    def is_quick() -> bool:
        """Whether there was a round of unusual texts in which no send took long."""
        plain, unusual = map(min, slowest.values())
        return unusual <= MAX_SLOWDOWN * plain + MAX_ADDED_SECONDS

    for _ in range(MAX_ROUNDS):
        for name, kinds in (("plain", [english]), ("unusual", HOSTILE)):
            texts = [kind(chance) for kind in islice(cycle(kinds), MESSAGES_PER_ROUND)]
            attack = in_background(partial(posts, own_chat, ana, texts))
            slowest[name].append(max(send_seconds(ben, attack)))
        if is_quick():
            break

    assert is_quick(), slowest


def posts(chat: Chat, person: Person, texts: list[str]) -> None:
    """Send messages and have them indexed."""
    for text in texts:
        person.says(text, to="kitchen > logs")
    chat.server.index_messages()


def send_seconds(person: Person, attack: "Future[None]") -> list[float]:
    """How long each of a person's sends takes during an attack."""
    found = []
    while not attack.done():
        began = time.monotonic()
        person.says("Soup's on", to="kitchen > lunch")
        found.append(time.monotonic() - began)
        time.sleep(PAUSE_SECONDS)
    attack.result()
    return found
