"""Thousands of alert words with a common prefix: the cost depends on the text only."""

import gc
import sys
from collections.abc import Callable
from typing import Any

from tertulia import domain
from tertulia.domain.personal.alert_words import WatchedWords

TEXT = "kitchen soup and kitchen sink, " * 100


def calls_made(work: Callable[[], object]) -> int:
    """The number of function calls, including those of the interpreter. It is the same on any
    machine."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()  # garbage collections are watched, which calls functions
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


def crowd(people: int, words: int) -> WatchedWords:
    watch = WatchedWords()
    for user_id in range(people):
        watch.set_words(
            user_id,
            [domain.personal.alert_words.watched(f"kitchen {user_id}x{n}") for n in range(words)],
        )
    return watch


def test_the_cost_of_a_text_does_not_depend_on_the_number_of_alert_words():
    few, many = crowd(1, 2), crowd(20, 500)

    assert calls_made(lambda: many.matches(TEXT)) == calls_made(lambda: few.matches(TEXT))


def test_the_worst_text_for_the_worst_words_costs_linear_time():
    watch = WatchedWords()
    for user_id in range(10):
        words = ["!" * n + "?" * user_id for n in range(1, 90)]
        watch.set_words(user_id, [domain.personal.alert_words.watched(word) for word in words])

    assert calls_made(lambda: watch.matches("!" * 3000)) < 3000 * 100 * 4


def test_memory_per_alert_word_does_not_grow_with_its_length():
    word = domain.personal.alert_words.watched("ΐ" * 30)

    assert sum(sys.getsizeof(part) for part in word) < 120


def test_the_transaction_of_a_send_does_not_search_for_alert_words(chat, monkeypatch):
    ana, ben = chat.people("ana", "ben", channels=["kitchen"])
    ben.post("/users/me/alert_words", alert_words=["soup"]).succeeds()
    looked: list[Any] = []
    called_by = WatchedWords.matches

    def noted(self: WatchedWords, text: str) -> frozenset[int]:
        looked.append(text)
        return called_by(self, text)

    monkeypatch.setattr(WatchedWords, "matches", noted)
    soup = ana.says("Soup's on", to="kitchen > lunch")
    cake = ana.says("Cake", to="kitchen > lunch")
    ana.patch(f"/messages/{cake.id}", content="Cake, then soup").succeeds()

    assert looked == ["Soup's on", "Cake", "Cake, then soup"]
    assert [ben.sees(message)["flags"] for message in (soup, cake)] == [["has_alert_word"]] * 2
