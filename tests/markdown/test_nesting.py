"""Deep nesting ends somewhere, and what is deeper is shown as text."""

import pytest
from msgspec.structs import replace
from tests.markdown.sample_names import SETTINGS, html

from tertulia.markdown.blocks import MAX_DEPTH
from tertulia.markdown.emoji import MAX_SHOWN
from tertulia.markdown.fences import MAX_SPOILERS


@pytest.mark.parametrize(
    "marker, tag", [("> ", "<blockquote>"), (">", "<blockquote>"), ("- ", "<ul>"), ("1. ", "<ol>")]
)
def test_containers_nest_a_hundred_deep(marker: str, tag: str) -> None:
    assert html(marker * MAX_DEPTH + "x").count(tag) == MAX_DEPTH
    assert html(marker * 3000 + "x").count(tag) == MAX_DEPTH


def test_fenced_quotes_and_spoilers_nest_less_deep() -> None:
    assert html("```quote\n" * 60 + "x").count("<blockquote>") == 60
    assert html("```quote\n" * 900 + "x").count("<blockquote>") < MAX_DEPTH
    assert html("```spoiler a\n" * 700 + "x").count("spoiler-block") == MAX_SPOILERS


def test_emphasis_nests_as_deep_as_it_is_written() -> None:
    source = "*a " * 2000 + "b" + " c*" * 2000

    assert html(source).count("<em>") == 2000


def test_the_number_of_table_cells_is_limited() -> None:
    """Short rows are filled up: a message could have made three million of them."""

    def table(columns: int, rows: int) -> str:
        return html(f"|{'a|' * columns}\n|{'-|' * columns}\n" + "|\n" * rows)

    assert table(100, 90).count("<td>") == 9000
    assert "<td>" not in table(1000, 2900)


@pytest.mark.parametrize("typed", ["👍", ":tada:", ":blob:", " :) "])
def test_emoji_after_the_first_thousand_stay_text(typed: str) -> None:
    """Each is a hundred characters: a message could have become a megabyte."""
    settings = replace(SETTINGS, translate_emoticons=True)

    shown = html(f"a\n\n{typed * (MAX_SHOWN - 1)}\n\n* {typed * 3}", settings)

    assert shown.count('class="emoji') == MAX_SHOWN
    assert shown.partition("<li>")[2].count('class="emoji') == 1
    assert shown.removesuffix("</li>\n</ul>").rstrip().endswith((typed * 2).strip())
