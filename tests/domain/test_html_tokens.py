"""The tokenizer for HTML mail: it never fails, and its time grows with the length alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.complexity import grows_linearly

from tertulia import domain
from tertulia.domain.html_tokens import EndTag, StartTag, tokenize

PIECES = [
    *("<", ">", "<!--", "-->", "<!", "<!-->", "<?", "</", "<a ", "<p>", "</p>", "<i>x</i>", "<b>*"),
    *("='", '="', "'", '"', "&", "&#", "&#x", "&amp", "1" * 20, ";", " ", "\n", "\0", "\1", "x"),
    *("<script>", "</script>", "<style", "<pre>", "<br>", "<blockquote>", "<a href=http://x>"),
    *("<td> </td>", "<![CDATA[", "<![if x]>", "*", "<div style='display:none'>", "\ud800"),
]


@pytest.mark.parametrize(
    "html, tokens",
    [
        ("a &lt; b", ["a < b"]),
        ("a < b <3 <>", ["a < b <3 <>"]),
        (
            "<P Class=x ID='y' b = \"z\" c>",
            [StartTag("p", {"class": "x", "id": "y", "b": "z", "c": ""})],
        ),
        ("</p x>y</p", [EndTag("p"), "y"]),
        ("<br/>x", [StartTag("br", {}), "x"]),
        ("a<!-- <b> -->c<!-->d<!--->e<!x>f<?g>h</ i>j", list("acdefhj")),
        ("a<!-- b", ["a"]),
        ("a<b c='", ["a"]),
        ("<style>p > a {}</style >x", [StartTag("style", {}), EndTag("style"), "x"]),
        ("<script><p></script", [StartTag("script", {})]),
        ("<a b=1 b=2>", [StartTag("a", {"b": "1"})]),
        ("<a b='&amp;'>", [StartTag("a", {"b": "&"})]),
        ("&#" + "1" * 5000 + ";", ["\ufffd;"]),
        ("&#000000000065;", ["A"]),
    ],
)
def test_html_is_split_into_tokens(html, tokens):
    assert list(tokenize(html)) == tokens


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_can_be_tokenized(html):
    text, _ = domain.mail_html.text_of(html)
    domain.mail_text.written(text)


@pytest.mark.parametrize("piece", PIECES)
def test_tokenizing_takes_linear_time(piece):
    def read(size: int) -> None:
        text, _ = domain.mail_html.text_of(piece * (size // len(piece)))
        domain.mail_text.written(text)

    assert grows_linearly(read, 25_000)


@pytest.mark.parametrize(
    "make",
    [
        lambda size: "<a " + "a " * (size // 2),
        lambda size: "<b>" + "*" * size + "<i>",
        lambda size: "<br>" + "<a></a>" * (size // 14) + "<p>" * (size // 6),
        lambda size: "<pre>" + "From:\n" * (size // 6),
        lambda size: "x " * (size // 4) + " <i></i>" * (size // 16),
    ],
)
def test_tokenizing_mixed_text_takes_linear_time(make):
    assert grows_linearly(lambda size: domain.mail_html.text_of(make(size)), 25_000)


def test_joining_flowed_text_takes_linear_time():
    assert grows_linearly(lambda size: domain.mail_text.unflowed("a \n" * size), 8_000)
