"""Long texts are split, and nothing of them is lost."""

from hypothesis import given
from hypothesis import strategies as st

from tertulia.transfer.importing.long_texts import split

words = st.text(alphabet="ab \n", max_size=300)


@given(words, st.integers(20, 80))
def test_splitting_loses_no_character_and_no_part_is_too_long(text, limit):
    parts = split(text, limit)

    assert all(len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_text_is_split_between_paragraphs_lines_or_words():
    assert split("one two\n\nthree four", 16) == ["one two", "three four"]
    assert split("one two three four", 16) == ["one two", " three four"]
    assert split("a" * 40, 20) == ["a" * 16, "a" * 16, "a" * 8]


def test_a_block_of_code_is_closed_and_opened_again():
    first, second = split("```py\n" + "x = 1\n" * 5 + "```", 32)

    assert first == "```py\nx = 1\nx = 1\nx = 1\n```"
    assert second == "```py\nx = 1\nx = 1\n```"
