"""Marks around what was found; the HTML below them stays what it was."""

import re

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia import domain, markdown
from tertulia.domain.search.highlight import CLOSE, OPEN, Highlighter
from tertulia.domain.search.query import SearchedText


def marked(query: str, markup: str) -> str:
    """With brackets for marks, which are easier to read."""
    found = Highlighter(domain.search.query.parse(query)).markup(markup)
    return re.sub(r'<span class="highlight">(.*?)</span>', r"[\1]", found, flags=re.DOTALL)


FORMULA = '<span class="katex"><span><math><mi>x</mi></math></span><span>x</span></span>'


@pytest.mark.parametrize(
    "query, markup, expected",
    [
        ("run", "<p>Running runs rerun</p>", "<p>[Running] [runs] re[run]</p>"),
        ("meet", "<p>a meeting</p>", "<p>a [meeting]</p>"),
        ("market", "<p>supermarket</p>", "<p>super[market]</p>"),
        ("soup lunch", "<p>soup at lunch</p>", "<p>[soup] at [lunch]</p>"),
        ("soup", "<p>so<em>up</em>s</p>", "<p>[so]<em>[up]</em>[s]</p>"),
        ('"big soup"', "<p>big <b>soup</b>s</p>", "<p>[big ]<b>[soup]</b>s</p>"),
        ('"one two"', "<p>one</p>\n<p>two</p>", "<p>[one]</p>\n<p>[two]</p>"),
        ("href", '<p><a href="http://x">x</a></p>', '<p><a href="http://x">x</a></p>'),
        ("amp", "<p>a &amp; amp</p>", "<p>a &amp; [amp]</p>"),
        ('"a & b"', "<p>a &amp; b</p>", "<p>[a &amp; b]</p>"),
        ("lt", "<p>&lt;b&gt;</p>", "<p>&lt;b&gt;</p>"),
        ("strasse", "<p>die Straße!</p>", "<p>die [Straße]!</p>"),
        ("cafe", "<p>CAFÉ, cafe\u0301</p>", "<p>[CAFÉ], [cafe\u0301]</p>"),
        ("京タ", "<p>東京タワー</p>", "<p>東[京タ]ワー</p>"),
        ("the", "<p>The lid</p>", "<p>[The] lid</p>"),
        ("the lid", "<p>The lid</p>", "<p>The [lid]</p>"),
        ("x", f"<p>x {FORMULA} x</p>", f"<p>[x] {FORMULA} [x]</p>"),
        ("title", "<i title='a > title'>title</i>", "<i title='a > title'>[title]</i>"),
    ],
)
def test_matches_are_marked(query: str, markup: str, expected: str) -> None:
    assert marked(query, markup) == expected


def test_a_topic_is_escaped_and_marked() -> None:
    found = Highlighter(domain.search.query.parse("lunch")).text("<b> & lunch")

    assert found == f"&lt;b&gt; &amp; {OPEN}lunch{CLOSE}"


WORDS = st.sampled_from(
    [
        *("soup", "Soups", "souper", "*so*up", "**big** soup", "Straße", "CAFÉ", "cafe\u0301"),
        *("東京タワー", "京", "&", "&amp;", "<b>", '"', "'", "`a < b`", "$$x^2$$", ":smile:"),
        *("https://soup.example/?a=1&b=2", "[soup](https://x.example 'soup')", "\n", "\n\n", "* "),
        *("ﬁne", "İstanbul", "ﾀﾜｰ", "don’t", "> ", "```\nsoup < 1\n```", "~~soup~~", "\U0001f600"),
        "\n\n| soup | soup |\n|---|---|\n| soup | b |\n\n",
    ]
)
QUERIES = st.sampled_from(
    [
        "soup",
        '"big soup"',
        '"soup soup"',
        "cafe strasse",
        "タワ 京",
        "fine istanbul",
        '"a < b"',
        '"&"',
        "amp",
        "s",
    ]
)


@given(st.lists(WORDS, max_size=12), QUERIES, st.text(max_size=20))
def test_marks_never_break_the_html(source: list[str], query: str, anything: str) -> None:
    markup = markdown.render(f"{' '.join(source)} {anything}").html

    found = Highlighter(domain.search.query.parse(query)).markup(markup)

    assert found.replace(OPEN, "").count(CLOSE) - markup.count(CLOSE) == found.count(OPEN)
    assert re.sub(f"{OPEN}(.*?){CLOSE}", r"\1", found, flags=re.DOTALL) == markup
    inner = re.findall(f"{OPEN}(.*?){CLOSE}", found, flags=re.DOTALL)
    assert not any("<" in each or ">" in each for each in inner)
    parser = html5lib.HTMLParser()
    before = "".join(parser.parseFragment(markup).itertext())
    assert "".join(parser.parseFragment(found).itertext()) == before
    if inner == [] and "<math" not in markup and not anything:
        assert not domain.search.query.parse(query).matches(SearchedText(markup, ""))
