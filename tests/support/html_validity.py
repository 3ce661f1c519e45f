"""Whether pages and feeds are valid, by the rules of HTML's parser and of Atom."""

import xml.etree.ElementTree as ElementTree

import html5lib

ATOM = "{http://www.w3.org/2005/Atom}"
# Markup of every kind, as members write it.
MARKUP = (
    "/me waves",
    "**bold** *slanted* ~~gone~~ `code` https://example.com/?a=1&b=<2>",
    "> quoted\n>> deeper\n\nafter",
    "```python\nx = '<a&b>'\n```",
    "```quote\nwith code\n```js\nlet a = 1\n```\n```",
    "```spoiler Ends *badly*\nEverybody **leaves**.\n```",
    "```math\n\\int_0^1 x dx\n```",
    "inline $$x^2$$",
    "| a | b |\n|---|---|\n| 1 | `x` |",
    "1. one\n2. two\n   * nested\n     more\n3. three",
    ":bread: :tada: 🎉 👩‍👩‍👧",
    "@**all** <time:2026-11-20T10:00:00Z>",
    "![a picture](https://example.com/x.png)",
    "https://example.com/x.png",
    "# Heading\n## Another\ntext\n***\nend",
    "<b>raw</b> &amp; \"double\" 'single' </article></div>",
    "- [ ] open\n- [x] done",
    "[bad](javascript:alert(1)) [file](/user_uploads/1/ab/x.png)",
    "مرحبا بالعالم",
    "/poll Which <one>?\nA & b\n<c>",
    "/todo List <x>\nFirst: a & b\nSecond",
)


def html_errors(text: str) -> list[str]:
    """What the parser of HTML has to repair, and links without a text."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(text)
    lines = text.splitlines()
    errors = [f"{code} {lines[line - 1][:200]}" for (line, _), code, _ in parser.errors]
    ids = [each.get("id") for each in tree.iter() if each.get("id")]
    errors += [f"two elements are #{each}" for each in {*ids} if ids.count(each) > 1]
    for link in tree.iter("a"):
        images = [image.get("alt", "") for image in link.iter("img")]
        if not "".join([*link.itertext(), *images]).strip():
            errors.append(f"a link without a text to {link.get('href')}")
    return errors


def feed_errors(body: bytes) -> list[str]:
    """What an Atom feed lacks. Raises ParseError if it is not well-formed."""
    feed = ElementTree.fromstring(body)
    errors = _missing(feed, "id", "title", "updated", "link")
    for entry in feed.iter(f"{ATOM}entry"):
        errors += _missing(entry, "id", "title", "updated", "author", "content", "link")
    ids = [each.text for each in feed.findall(f"{ATOM}entry/{ATOM}id")]
    return errors + (["two entries have one id"] if len(ids) != len(set(ids)) else [])


def _missing(element: ElementTree.Element, *names: str) -> list[str]:
    return [f"{element.tag} lacks {name}" for name in names if element.find(ATOM + name) is None]
