"""The HTML of a mail as text in our own markup, as far as it says something.

By hand on the parser of the standard library: what others write is Markdown in another dialect.
"""

import re
from html.parser import HTMLParser

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
QUOTATIONS = frozenset(  # what mail programs put a copy of the mail into that is answered
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
DEEPEST = 200  # elements within each other
MOST_CHARACTERS = 250_000  # that are looked at

FENCE = "```"

# Signs that no mail holds, for what can only be written when its end is known.
STARS, QUOTE, UNQUOTE, LINK, ADDRESS, UNLINK = "\x00\x01\x02\x03\x04\x05"

_SPACES = re.compile(r"[ \t\r\n\f]+")
_LINKED = re.compile(f"{LINK}([^{LINK}{ADDRESS}{UNLINK}]*){ADDRESS}([^{UNLINK}]*){UNLINK}")
_STARRED = re.compile(rf"{STARS}(\*+)([^{STARS}]*)\1{STARS}")
_SIGNS = re.compile(f"[{STARS}{LINK}{ADDRESS}{UNLINK}]")


def text_of(html: str, *, quotes: bool = False, footer: bool = False) -> tuple[str, set[str]]:
    """The text, and the pictures in it, by their Content-ID."""
    reader = _Reader(quotes=quotes, footer=footer)
    reader.feed(html[:MOST_CHARACTERS])
    reader.close()
    return reader.text(), reader.pictures


class _Reader(HTMLParser):
    def __init__(self, *, quotes: bool, footer: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._left_out = (frozenset() if quotes else QUOTATIONS) | (
            frozenset() if footer else SIGNATURES
        )
        self._keeps_quotes = quotes
        self._open: list[tuple[str, str]] = []  # elements, and what is written at their end
        self._ignored_from: int | None = None  # how many were open when something began to be
        self._parts: list[str] = []
        self._verbatim = 0
        self.pictures: set[str] = set()

    # --- what the parser finds ---

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        if tag in VOID:
            if self._ignored_from is None:
                self._void(tag, about)
            return
        if self._ignored_from is None and self._is_ignored(tag, about):
            self._ignored_from = len(self._open)
        end = "" if self._ignored_from is not None else self._begin(tag, about)
        if len(self._open) < DEEPEST:
            self._open.append((tag, end))

    def handle_endtag(self, tag: str) -> None:
        if not any(name == tag for name, _ in self._open):
            return
        while self._open:
            name, end = self._open.pop()
            if self._ignored_from is not None:
                if len(self._open) <= self._ignored_from:
                    self._ignored_from = None
            else:
                self._end(name, end)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._ignored_from is not None:
            return
        self._parts.append(data if self._verbatim else _SPACES.sub(" ", data))

    # --- what that means ---

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
            self._parts.append("\n")
        elif tag == "hr":
            self._break(2)
            self._parts.append("---")
            self._break(2)
        elif tag == "img" and about.get("src", "").lower().startswith("cid:"):
            self.pictures.add(about["src"][4:])

    def _begin(self, tag: str, about: dict[str, str]) -> str:
        """Write the beginning of an element; gives what is written at its end."""
        if tag in BLOCKS:
            self._break(2 if tag in APART else 1)
        if tag in STRONG:
            self._parts.append(f"{STARS}**")
            return f"**{STARS}"
        if tag in EMPHASIZED:
            self._parts.append(f"{STARS}*")
            return f"*{STARS}"
        if tag == "pre":
            self._verbatim += 1
            self._parts.append(f"{FENCE}\n")
            return f"\n{FENCE}"
        if tag == "li":
            self._parts.append("* ")
        elif tag in ("td", "th"):
            return " "
        elif tag == "blockquote":
            self._parts.append(QUOTE)
            return UNQUOTE
        elif tag == "a" and about.get("href", "").startswith(("http://", "https://", "mailto:")):
            self._parts.append(LINK)
            return f"{ADDRESS}{about['href'].strip()}{UNLINK}"
        return ""

    def _end(self, tag: str, end: str) -> None:
        self._parts.append(end)
        if tag == "pre":
            self._verbatim -= 1
        if tag in BLOCKS:
            self._break(2 if tag in APART else 1)

    def _break(self, lines: int) -> None:
        """End the line, unless it has ended; two ends are a blank line."""
        ended = 0
        for part in reversed(self._parts):
            bare = part.rstrip("\n ")
            ended += part.count("\n", len(bare))
            if bare or ended >= lines:
                break
        if ended < lines:
            self._parts.append("\n" * (lines - ended))

    # --- all of it ---

    def text(self) -> str:
        for _, end in reversed(self._open):
            if self._ignored_from is None:
                self._parts.append(end)
        text = "".join(self._parts).replace("\xa0", " ")
        text = _STARRED.sub(_marked, _LINKED.sub(_link, text))
        return _quoted(_SIGNS.sub("", text))


def _link(found: re.Match[str]) -> str:
    words, address = " ".join(found[1].replace(STARS, "").split()), found[2]
    bare = address.removeprefix("mailto:")
    if not words or words.strip("*") in (address, bare, bare.partition("://")[2].rstrip("/")):
        return bare
    return f"[{words.replace('[', '(').replace(']', ')')}]({address.replace(')', '%29')})"


def _marked(found: re.Match[str]) -> str:
    """Stars stand close to the words, or they are none."""
    stars, inside = found.groups()
    words = inside.strip()
    if not words or "\n" in words:
        return inside
    before, _, after = inside.partition(words)
    return f"{before}{stars}{words}{stars}{after}"


def _quoted(text: str) -> str:
    """Quotations with a sign at the beginning of each line, as deep as they are."""
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
