"""When a text says an alert word."""

import pytest
from tests.support.complexity import grows_linearly

from tertulia import domain
from tertulia.domain.personal.alert_words import WatchedWords

ANA, BEN = 1, 2

watched = domain.personal.alert_words.watched


@pytest.mark.parametrize(
    "word, text, is_found",
    [
        ("tea", "Tea?", True),
        ("tea", "(tea)", True),
        ("tea", "teacher", False),
        ("tea", "a steak", False),
        ("tea", "teacher of tea", True),
        ("Straße", "in der STRASSE", True),
        ("green tea", "some green tea, please", True),
        ("green tea", "some green teapot", False),
        ("c++", "I like C++!", True),
        ("c++", "abc++", False),
        (":)", "nice:)", True),
        ("🎉", "hooray🎉🎉", True),
        ("日本", "日本語を話す", True),
        ("語", "日本語", True),
        ("カレー", "カレーライス", True),
        ("été", "un été chaud", True),
        ("_x_", "a _x_ b", True),
    ],
)
def test_words_are_found_at_word_boundaries(word, text, is_found):
    watch = watching(word)

    assert watch.matches(text) == ({ANA} if is_found else set())


def test_all_users_of_a_word_are_alerted():
    watch = watching("tea", "cake")
    watch.set_words(BEN, [watched("TEA"), watched("soup")])

    assert watch.matches("tea!") == {ANA, BEN}
    assert watch.matches("cake!") == {ANA}


def test_removed_words_alert_no_one_and_use_no_memory():
    watch = watching("tea", "green tea")
    watch.set_words(BEN, [watched("tea")])

    watch.set_words(ANA, [])
    assert watch.matches("some green tea") == {BEN}
    watch.set_words(BEN, [])
    assert watch.matches("some green tea") == set()
    assert not any(vars(watch).values())


def test_the_search_takes_linear_time():
    watch = watching("a " + "ab" * 40 + "c", *("! " * count for count in range(1, 50)))

    assert grows_linearly(lambda length: watch.matches("a " + "ab" * length), 5_000)
    assert grows_linearly(lambda length: watch.matches("! " * length), 2_000)


def watching(*words: str) -> WatchedWords:
    watch = WatchedWords()
    watch.set_words(ANA, [watched(word) for word in words])
    return watch
