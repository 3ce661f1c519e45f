"""Nothing a user writes becomes markup that we did not mean: checked with real HTML parsers."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.markdown.sample_names import SETTINGS, html

from tertulia.markdown import Settings


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = words("br hr img")
MATHML = words("""
    math semantics annotation menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom
    mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder
    munderover none
""")
MATHML_ATTRIBUTES = words("""
    xmlns encoding accent accentunder columnalign columnlines columnspacing depth display
    displaystyle fence form height largeop linethickness lspace mathcolor mathsize mathvariant
    maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy
    symmetric width
""")
WITHOUT_ATTRIBUTES = words("""
    blockquote br code del em h1 h2 h3 h4 h5 h6 hr li p pre strong table tbody thead tr ul
""")
ATTRIBUTES = {
    "a": words("class data-id data-stream-id href title"),
    "audio": words("controls preload src title"),
    "div": words("aria-hidden class data-code-language"),
    "img": words("""
        alt class data-animated data-original-content-type data-original-dimensions
        data-original-src src title
    """),
    "ol": words("start"),
    "span": words("aria-hidden aria-label class data-user-group-id data-user-id role style title"),
    "td": words("style"),
    "th": words("style"),
    "time": words("datetime"),
    "video": words("preload src"),
    **dict.fromkeys(WITHOUT_ATTRIBUTES, words("")),
    **dict.fromkeys(MATHML, MATHML_ATTRIBUTES),
}
SCHEMES = words("""
    http https hansoft obsidian zotero asanadesktop ftp mid mailto tel sms smsto ssh irc ircs magnet
    matrix xmpp sip geo bitcoin news nntp im mms urn webcal wtai openpgp4fpr
""")
STYLES = {
    "td": re.compile(r"text-align: (?:left|right|center);"),
    "th": re.compile(r"text-align: (?:left|right|center);"),
    "span": re.compile(
        r"(?:(?:height|vertical-align|top|left|width|margin-right|border-bottom-width)"
        r":-?[\d.]+(?:e-\d+)?em;)+|color:(?:#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,20});"
    ),
}

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    '[x](https://a.example" onmouseover="alert(1))',
    '[x](https://a.example "a\\" onmouseover=\\"alert(1)")',
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](//javascript:alert(1))",
    '[x](https://a.example/"><script>alert(1)</script>)',
    'https://a.example/"onmouseover="alert(1)',
    "![x](javascript:alert(1))",
    '```"><script>\nx\n```',
    '```a/b"onclick\nx\n```',
    "@**<script>**",
    "#**kitchen><script>alert(1)</script>**",
    '#**kitchen>" onclick="x**',
    "$$<script>alert(1)</script>$$",
    "$$\\href{javascript:alert(1)}{x}$$",
    '$$\\color{"><script>}x$$',
    "```math\n</annotation><script>alert(1)</script>\n```",
    '<time:2031-01-01"><script>>',
    ":<script>:",
    "```spoiler <script>\n</div></div><script>\n```",
    '| a |\n|"-|\n| <script> |',
    "TASK-1<script>",
    "&lt;script&gt; &#60;script&#62;",
    "\U000f0000<script>\U000f0001",
]

FRAGMENTS = [
    *"*_`~|#>-+.:@$[](){}<>&\"'!\\/^ \n\t\x00\x02\U000f0000",
    *["**", "***", "``", "```", "~~", "~~~", "](", "![", "@**", "@_**", "@*", "#**", "**a**", "$$"],
    *["> ", "- ", "1. ", "  ", "    ", "\n\n", "\n> ", "\n- ", "\n  - ", "\n```\n", "\n~~~\n"],
    *["```quote\n", "```spoiler a\n", "```math\n", "```python\n", "|---|", "\n|-|-|\n", "---\n"],
    *["Ann Lee", "kitchen", ">lunch", "cooks", "TASK-1", ":tada:", "😀", "é", "日本", "<time:"],
    *[
        "https://a.example/",
        "javascript:",
        "a.example",
        "ann@a.example",
        ".png",
        "/user_uploads/1/",
    ],
    *["<script>", "onclick=", "&lt;", "&#106;", "\\frac{", "\\href{", "\\begin{matrix}", "a", "b"],
]
CORPUS = [
    line.split(" → ", 1)[0].replace("⏎", "\n")
    for table in sorted(Path(__file__).parent.glob("cases/*.txt"))
    for line in table.read_text(encoding="utf-8").splitlines()
] + ATTACKS

EXCITED = Settings(
    base_url=SETTINGS.base_url,
    translate_emoticons=True,
    linkifiers=SETTINGS.linkifiers,
    custom_emoji=SETTINGS.custom_emoji,
)


def mutated(draw_from: list[str]) -> st.SearchStrategy[str]:
    """Two sources joined, with a fragment put somewhere in between or in place of something."""
    return st.builds(
        lambda a, b, fragment, at, cut: (a + b)[:at] + fragment + (a + b)[at + cut :],
        st.sampled_from(draw_from),
        st.sampled_from([*draw_from, ""]),
        st.sampled_from([*FRAGMENTS, *ATTACKS]),
        st.integers(0, 120),
        st.integers(0, 8),
    )


def test_every_known_source_is_safe() -> None:
    for source in CORPUS:
        check(html(source))


FRAGMENTED = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join)
MUTATED = mutated(CORPUS)
ANYTHING = st.text(max_size=80)


@settings(max_examples=100)
@given(FRAGMENTED)
def test_fragments_in_any_order_are_safe(source: str) -> None:
    check(html(source))
    check(html(source, EXCITED))


@settings(max_examples=100)
@given(MUTATED)
def test_mutated_sources_are_safe(source: str) -> None:
    check(html(source))


@settings(max_examples=50)
@given(ANYTHING)
def test_any_text_is_safe(source: str) -> None:
    check(html(source))


@pytest.mark.soak
@settings(max_examples=20_000)
@given(st.one_of(FRAGMENTED, MUTATED, ANYTHING))
def test_random_sources_are_safe_for_a_long_time(source: str) -> None:
    check(html(source))
    check(html(source, EXCITED))


def check(rendered: str) -> None:
    Nesting(rendered)
    tree: Any = html5lib.parseFragment(rendered, treebuilder="etree", namespaceHTMLElements=False)
    for element in tree.iter():
        if isinstance(element.tag, str) and element.tag != "DOCUMENT_FRAGMENT":
            check_element(element.tag.rpartition("}")[2], element.attrib)


def check_element(tag: str, attributes: dict[str, str]) -> None:
    assert tag in ATTRIBUTES, tag
    for name, value in attributes.items():
        assert name.rpartition("}")[2] in ATTRIBUTES[tag], (tag, name)
        if name in ("href", "src"):
            check_address(value)
        if name == "style":
            assert STYLES[tag].fullmatch(value), value


def check_address(address: str) -> None:
    """As a browser reads it: without white space and control characters, in any case."""
    read = re.sub(r"[\x00-\x20]", "", address).lower()
    scheme = re.match(r"([^/?#]*?):", read)
    assert scheme is None or scheme[1] in SCHEMES, address


class Nesting(HTMLParser):
    """Every element is closed by its own end tag, and none by another's."""

    def __init__(self, rendered: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(rendered)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")
