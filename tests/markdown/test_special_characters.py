"""Characters that need care: white space, controls, and what stands for finished parts."""

import pytest
from tests.markdown.sample_names import html

from tertulia import markdown
from tertulia.markdown import Settings
from tertulia.markdown.rendering import MAX_FORMATTED


@pytest.mark.parametrize(
    "source, expected",
    [
        ("", ""),
        (" \n\t\n ", ""),
        ("tab\there", "<p>tab here</p>"),
        ("a\r\nb\rc", "<p>a<br>\nb<br>\nc</p>"),
        ("a\r\rb", "<p>a</p>\n<p>b</p>"),
        ("a\x02b\x03c", "<p>abc</p>"),
        ("a\x00b\x1bc", "<p>a\x00b\x1bc</p>"),
        ("a\n \t\nb", "<p>a</p>\n<p>b</p>"),
        ("private \U000f0000 plane", "<p>private &#983040; plane</p>"),
        ("`\U0010ffff`", "<p><code>&#1114111;</code></p>"),
        ("*\U000f0001*", "<p><em>&#983041;</em></p>"),
        (
            "```\n\U000f0002\n```",
            '<div class="codehilite"><pre><span></span><code>&#983042;\n</code></pre></div>',
        ),
        ("a\u2028b", "<p>a\u2028b</p>"),
        ("\u200e*x*", "<p>\u200e<em>x</em></p>"),
    ],
)
def test_special_characters_are_kept_or_dropped(source: str, expected: str) -> None:
    assert html(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "Hello",
        "Hello there, Ann. Tea (or coffee) at noon?",
        "Note: it's 50% done; see a/b – or don't…",
        "Trailing  ",
        "Ends here.",
        "Grüße aus Köln, 你好",
        "f(x) = y",
    ],
)
def test_the_fast_path_for_plain_text_gives_the_same_result(source: str) -> None:
    by_the_long_way = markdown.render(source, settings=Settings(translate_emoticons=True))

    assert markdown.render(source) == by_the_long_way
    assert by_the_long_way.html == f"<p>{source}</p>"


def test_a_typed_placeholder_never_shows_a_stashed_part() -> None:
    source = "`secret` \U000f0000 \U000f0001 \U000f0002"

    assert html(source).count("secret") == 1


def test_a_text_beyond_all_limits_is_shown_as_typed() -> None:
    source = "**a** <b> " * (MAX_FORMATTED // 10 + 1)

    assert (
        markdown.render(source).html
        == "<p>" + "**a** &lt;b&gt; " * (MAX_FORMATTED // 10 + 1) + "</p>"
    )
