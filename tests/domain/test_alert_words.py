"""When a text says an alert word."""

import pytest
from tests.support.growth import grows_linearly

from tertulia import domain


@pytest.mark.parametrize(
    "word, text, said",
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
def test_words_are_found_at_their_borders(word, text, said):
    found = domain.personal.alert_words.first_token(word) in domain.personal.alert_words.tokens(
        text
    ) and domain.personal.alert_words.is_said(
        domain.personal.alert_words.fold(word), domain.personal.alert_words.fold(text)
    )

    assert found is said


def test_looking_takes_no_longer_than_the_text_is_long():
    def look(length: int) -> None:
        assert not domain.personal.alert_words.is_said(
            "a " + "ab" * 40 + "c", domain.personal.alert_words.fold("a " + "ab" * length)
        )

    assert grows_linearly(look, 5_000)
