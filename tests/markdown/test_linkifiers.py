"""Linkifiers and their URL templates."""

import pytest
from tests.support.complexity import grows_linearly

from tertulia import markdown
from tertulia.markdown import LinkPattern, Settings


def link(source: str, pattern: str, url_template: str) -> str:
    settings = Settings(linkifiers=(LinkPattern(1, pattern, url_template),))
    return markdown.render(source, settings=settings).html


@pytest.mark.parametrize(
    "source, is_linked",
    [
        ("X-1", True),
        ("see X-1", True),
        ("(X-1)", True),
        ("X-1.", True),
        ("X-1_", True),
        ("éX-1", False),
        ("X-1é", False),
        ("X-1日", False),
        ("[X-1]", False),
        ("=X-1", False),
    ],
)
def test_a_linkifier_matches_at_word_boundaries(source: str, is_linked: bool) -> None:
    assert ("<a " in link(source, "X-(?P<n>[0-9]+)", "https://x.example/{n}")) is is_linked


@pytest.mark.parametrize(
    "template, expected",
    [
        ("https://h.example/{n}", "https://h.example/a%2Fb"),
        ("https://h.example/{+n}", "https://h.example/a/b"),
        ("https://h.example{/n}", "https://h.example/a%2Fb"),
        ("https://h.example/{?n}", "https://h.example/?n=a%2Fb"),
        ("https://h.example/?x=1{&n}", "https://h.example/?x=1&n=a%2Fb"),
        ("https://h.example/{#n}", "https://h.example/#a/b"),
        ("https://h.example/{;n}", "https://h.example/;n=a%2Fb"),
        ("https://h.example{.n}", "https://h.example.a%2Fb"),
        ("https://h.example/{n:1}", "https://h.example/a"),
        ("https://h.example/{n*}", "https://h.example/a%2Fb"),
        ("https://h.example/{n,m}", "https://h.example/a%2Fb,c"),
        ("https://h.example/{?n,m}", "https://h.example/?n=a%2Fb&m=c"),
        ("https://h.example/{unknown}", "https://h.example/"),
        ("https://h.example/{?unknown}", "https://h.example/"),
        ("https://h.example/{?empty}", "https://h.example/?empty="),
        ("https://h.example/{;empty}", "https://h.example/;empty"),
    ],
)
def test_a_template_is_expanded_as_the_rfc_says(template: str, expected: str) -> None:
    assert markdown.url_templates.expand(template, {"n": "a/b", "m": "c", "empty": ""}) == expected


def test_checking_returns_the_group_names() -> None:
    assert markdown.linkifiers.check(r"(?P<kind>[a-z]+)-(?P<id>\d+)") == {"kind", "id"}
    assert markdown.url_templates.check("https://h.example/{kind}/{id:3}{?page,size*}") == {
        "kind",
        "id",
        "page",
        "size",
    }


@pytest.mark.parametrize(
    "pattern", ["(", "a)(b", "(?<=x)y", r"(a)\1", "(((x{0,9}){0,9}){0,9})*", "[z-a]"]
)
def test_an_invalid_pattern_is_refused_and_creates_no_links(pattern: str) -> None:
    with pytest.raises(markdown.linkifiers.InvalidPattern):
        markdown.linkifiers.check(pattern)

    assert link("a b", pattern, "https://h.example/") == "<p>a b</p>"


@pytest.mark.parametrize(
    "template", ["{", "}", "{}", "{a", "a}", "{a b}", "{!a}", "{a:0}", "{{a}}"]
)
def test_an_invalid_template_is_refused(template: str) -> None:
    with pytest.raises(markdown.url_templates.InvalidTemplate):
        markdown.url_templates.check(template)


@pytest.mark.parametrize(
    "template",
    [
        "javascript:{n}",
        "JaVaScRiPt:{n}",
        "data:{n}",
        "java\tscript:{n}",
        "\x01javascript:{n}",
        "{+n}",
    ],
)
def test_a_dangerous_address_is_not_linked(template: str) -> None:
    assert "<a " not in link("X-javascript:alert(1) X-1", "X-(?P<n>[a-z0-9:()]+)", template)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?P<a>(x+x+)+y)",
        "(?P<a>(x*)*)",
        "(?P<a>(x|x)*$)",
        "(?P<a>x{1,500}){1,2}",
        "(?P<a>.*.*.*=.*)",
        "(?P<a>(.+)+)",
        "(?P<a>x?)",
        "(?P<a>(((x{0,9}){0,9}){0,9})*)",
        "(?P<a>x(?:.{0,50}.{0,50}z)?)",
        "(?P<a>x(?:.*.*.*.*z)?)",
        r"(?P<a>\\w{1,20}(?:[^z]{1,90}[^y]{1,90}z)?)",
    ],
)
@pytest.mark.parametrize("unit", ["x", "x ", "x,", "("])
def test_no_pattern_can_take_long(pattern: str, unit: str) -> None:
    def links(length: int) -> None:
        link(unit * (length // len(unit)), pattern, "https://h.example/{a}")

    links(1)

    assert grows_linearly(links, 1_000)
