"""Converts the HTML of a mail to our markup.

It uses a tokenizer of its own: libraries write another dialect of Markdown, and the parser of the
standard library takes quadratic time. Everything here is linear in the length.
"""

import re
from collections import Counter

import msgspec

from tertulia.domain import html_tokens
from tertulia.domain.html_tokens import EndTag, StartTag

IGNORED = frozenset({"head", "script", "style", "title", "template", "noscript", "svg"})
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
APART = frozenset(
    ["blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"]
)
VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    ]
)
STRONG = frozenset(["b", "strong", "h1", "h2", "h3", "h4", "h5", "h6"])
EMPHASIZED = frozenset(["em", "i"])
QUOTATIONS = frozenset(  # elements in which mail programs put a copy of the mail that is answered
    [
        "gmail_quote",
        "gmail_quote_container",
        "gmail_extra",
        "yahoo_quoted",
        "moz-cite-prefix",
        "protonmail_quote",
        "tutanota_quote",
        "zmail_extra",
    ]
)
QUOTATION_IDS = frozenset(
    {"appendonsend", "divrplyfwdmsg", "mail-editor-reference-message-container"}
)
SIGNATURES = frozenset({"gmail_signature", "moz-signature"})
DEEPEST = 200  # nested elements
MAX_CHARACTERS = 250_000  # that are read

FENCE = "```"

# Control characters that mark quotations until these become prefixes of lines.
QUOTE, UNQUOTE = "\x01\x02"

_SPACES = re.compile(r"[ \t\r\n\f]+")
_SIGNS = re.compile(f"[{QUOTE}{UNQUOTE}]")


def text_of(html: str, *, quotes: bool = False, footer: bool = False) -> tuple[str, set[str]]:
    """The text, and the Content-IDs of the images in it."""
    reader = _Reader(quotes=quotes, footer=footer)
    for token in html_tokens.tokenize(_SIGNS.sub("", html[:MAX_CHARACTERS])):
        if isinstance(token, str):
            reader.on_text(token)
        elif isinstance(token, StartTag):
            reader.on_start(token)
        else:
            reader.on_end(token)
    return reader.text(), reader.pictures


class _Element(msgspec.Struct):
    name: str
    end: str = ""  # written at its end
    stars: str = ""  # of emphasis
    address: str = ""  # of a link
    begins_at: int = 0  # index of its first part
    line_ends: int = 0  # line breaks before it
    is_innermost: bool = True  # contains no other emphasis (or link)


class _Reader:
    def __init__(self, *, quotes: bool, footer: bool) -> None:
        self._left_out = (frozenset() if quotes else QUOTATIONS) | (
            frozenset() if footer else SIGNATURES
        )
        self._keeps_quotes = quotes
        self._open: list[_Element] = []
        self._open_names: Counter[str] = Counter()
        self._emphasized: list[_Element] = []
        self._links: list[_Element] = []
        self._ignored_from: int | None = None  # number of open elements when ignored content began
        self._parts: list[str] = []
        self._line_ends = 0  # line breaks at the end of the text, ignoring spaces
        self._verbatim = 0
        self.pictures: set[str] = set()

    # --- tokens ---

    def on_start(self, tag: StartTag) -> None:
        name, about = tag.name, tag.attributes
        if name in VOID:
            if self._ignored_from is None:
                self._void(name, about)
            return
        if len(self._open) >= DEEPEST:
            return
        if self._ignored_from is None and self._is_ignored(name, about):
            self._ignored_from = len(self._open)
        element = _Element(name) if self._ignored_from is not None else self._begin(name, about)
        self._open.append(element)
        self._open_names[name] += 1

    def on_end(self, tag: EndTag) -> None:
        if not self._open_names[tag.name]:
            return
        while self._open:
            element = self._open.pop()
            self._open_names[element.name] -= 1
            if self._ignored_from is not None:
                if len(self._open) <= self._ignored_from:
                    self._ignored_from = None
            else:
                self._end(element)
            if element.name == tag.name:
                return

    def on_text(self, text: str) -> None:
        if self._ignored_from is None:
            self._write(text if self._verbatim else _SPACES.sub(" ", text))

    def _write(self, text: str) -> None:
        bare = text.rstrip("\n ")
        ends = text.count("\n", len(bare))
        self._line_ends = ends if bare else self._line_ends + ends
        if text:
            self._parts.append(text)

    # --- elements ---

    def _is_ignored(self, tag: str, about: dict[str, str]) -> bool:
        classes = set(about.get("class", "").lower().split())
        name = about.get("id", "").lower()
        is_copy = tag == "blockquote" and about.get("type", "").lower() == "cite"
        is_quoted = is_copy or name in QUOTATION_IDS
        is_hidden = "display:none" in about.get("style", "").replace(" ", "").lower()
        return (
            tag in IGNORED
            or is_hidden
            or bool(classes & self._left_out)
            or (is_quoted and not self._keeps_quotes)
        )

    def _void(self, tag: str, about: dict[str, str]) -> None:
        if tag == "br":
            self._write("\n")
        elif tag == "hr":
            self._break(2)
            self._write("---")
            self._break(2)
        elif tag == "img" and about.get("src", "").lower().startswith("cid:"):
            self.pictures.add(about["src"][4:])

    def _begin(self, tag: str, about: dict[str, str]) -> _Element:
        if tag in BLOCKS:
            self._break(2 if tag in APART else 1)
        element = _Element(tag, begins_at=len(self._parts))
        if tag in STRONG or tag in EMPHASIZED:
            element.stars = "**" if tag in STRONG else "*"
            self._write_start(element, self._emphasized)
        elif tag == "pre":
            self._verbatim += 1
            self._write(f"{FENCE}\n")
            element.end = f"\n{FENCE}"
        elif tag == "li":
            self._write("* ")
        elif tag in ("td", "th"):
            element.end = " "
        elif tag == "blockquote":
            self._write(QUOTE)
            element.end = UNQUOTE
        elif tag == "a" and about.get("href", "").startswith(("http://", "https://", "mailto:")):
            element.address = _SIGNS.sub("", about["href"].strip())
            self._write_start(element, self._links)
        return element

    def _write_start(self, element: _Element, around: list[_Element]) -> None:
        """Write the stars of an element, or an empty string for a link, as one part."""
        if around:
            around[-1].is_innermost = False
        around.append(element)
        element.line_ends = self._line_ends
        self._parts.append(element.stars)
        if element.stars:
            self._line_ends = 0

    def _end(self, element: _Element) -> None:
        if element.stars:
            self._emphasized.pop()
            self._end_emphasis(element)
        elif element.address:
            self._links.pop()
            self._end_link(element)
        else:
            self._write(element.end)
        if element.name == "pre":
            self._verbatim -= 1
        if element.name in BLOCKS:
            self._break(2 if element.name in APART else 1)

    def _end_emphasis(self, element: _Element) -> None:
        """Stars must touch the words, or they are not emphasis."""
        if not element.is_innermost:
            self._write(element.stars)
            return
        inside = self._pop_content(element)
        words = inside.strip()
        if not words or "\n" in words:
            self._write(inside)
            return
        before, _, after = inside.partition(words)
        self._write(f"{before}{element.stars}{words}{element.stars}{after}")

    def _end_link(self, element: _Element) -> None:
        if element.is_innermost:
            self._write(_link(_SIGNS.sub("", self._pop_content(element)), element.address))

    def _pop_content(self, element: _Element) -> str:
        """Remove what was written since the start of an element, and return what is inside."""
        inside = "".join(self._parts[element.begins_at + 1 :])
        del self._parts[element.begins_at :]
        self._line_ends = element.line_ends
        return inside

    def _break(self, lines: int) -> None:
        """Ensure so many line breaks; two are a blank line."""
        if self._line_ends < lines:
            self._write("\n" * (lines - self._line_ends))

    # --- result ---

    def text(self) -> str:
        while self._open and self._ignored_from is None:
            self._end(self._open.pop())
        return _quoted("".join(self._parts).replace("\xa0", " "))


def _link(inside: str, address: str) -> str:
    words, bare = " ".join(inside.split()), address.removeprefix("mailto:")
    if not words or words.strip("*") in (address, bare, bare.partition("://")[2].rstrip("/")):
        return bare
    return f"[{words.replace('[', '(').replace(']', ')')}]({address.replace(')', '%29')})"


def _quoted(text: str) -> str:
    """Prefix each line of a quotation, as deep as it is nested."""
    depth, is_verbatim = 0, False
    lines: list[str] = []
    for part in re.split(f"([{QUOTE}{UNQUOTE}])", text):
        if part in (QUOTE, UNQUOTE):
            depth = max(0, depth + (1 if part == QUOTE else -1))
            lines.append("")
            continue
        sign = "> " * min(depth, 10)
        for line in part.split("\n"):
            is_verbatim ^= line.strip() == FENCE
            shown = line.rstrip() if is_verbatim else line.strip()
            lines.append(f"{sign}{shown}" if shown else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
