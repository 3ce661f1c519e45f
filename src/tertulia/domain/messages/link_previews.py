"""Previews of linked pages: what a page says about itself, as HTML at the end of a message."""

import re
from html import escape, unescape
from urllib.parse import urljoin, urlsplit

import msgspec

from tertulia import domain
from tertulia.domain.html_tokens import StartTag

MAX_PREVIEWS = 3  # of one message
MAX_URL_LENGTH = 2000
MAX_TITLE_LENGTH = 200
MAX_DESCRIPTION_LENGTH = 400

# Users' quotation marks are escaped, so only a tag of our own matches.
_LINK = re.compile(r'<a href="(https?://[^"]+)"')
_START = '<div class="message_embed">'
_CHARSET = re.compile(rb"charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_HEAD_BYTES = 4096

# Character sets of pages. Python knows more encodings: some take minutes for a large page
# (punycode), some fail for most texts (idna), some give what cannot be stored (unicode_escape).
CHARSETS = frozenset(
    (
        *("utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii", "latin1"),
        *(f"iso-8859-{number}" for number in range(1, 17) if number != 12),
        *(f"windows-{number}" for number in range(1250, 1259)),
        *("cp874", "tis-620", "koi8-r", "koi8-u", "ibm866", "macintosh"),
        *("gb2312", "gbk", "gb18030", "big5", "big5-hkscs"),
        *("euc-jp", "iso-2022-jp", "shift-jis", "sjis", "cp932", "euc-kr"),
    )
)


class LinkPreview(msgspec.Struct, frozen=True):
    """Without a title if the page has none, or is no page."""

    url: str
    title: str = ""
    description: str = ""
    image: str = ""


def links_in(rendered: str) -> list[str]:
    """The addresses in a message that get a preview, each once."""
    found = dict.fromkeys(unescape(each) for each in _LINK.findall(without_previews(rendered)))
    return [each for each in found if len(each) <= MAX_URL_LENGTH][:MAX_PREVIEWS]


def without_previews(rendered: str) -> str:
    return rendered.partition(_START)[0]


def with_previews(rendered: str, previews: list[LinkPreview]) -> str:
    shown = "".join(_html(each) for each in previews if each.title)
    return without_previews(rendered) + shown


def previews_of(rendered: str) -> str:
    """The previews at the end of a message, as HTML."""
    return rendered[len(without_previews(rendered)) :]


def read(url: str, content_type: str, body: bytes) -> LinkPreview:
    """What a page says about itself: Open Graph, else its title and description."""
    if not content_type.lower().startswith(("text/html", "application/xhtml+xml")):
        return LinkPreview(url)
    text = _decoded(content_type, body)
    meta: dict[str, str] = {}
    for token in domain.html_tokens.tokenize(text):
        if isinstance(token, StartTag) and token.name == "meta":
            name = token.attributes.get("property") or token.attributes.get("name") or ""
            meta.setdefault(name.lower(), token.attributes.get("content", ""))
        elif isinstance(token, StartTag) and token.name == "body":
            break
    title = meta.get("og:title") or meta.get("twitter:title") or _title(text)
    description = meta.get("og:description") or meta.get("description", "")
    image = meta.get("og:image") or meta.get("twitter:image", "")
    return LinkPreview(
        url,
        _one_line(title, MAX_TITLE_LENGTH),
        _one_line(description, MAX_DESCRIPTION_LENGTH),
        _image_address(url, image),
    )


def _decoded(content_type: str, body: bytes) -> str:
    named = _CHARSET.search(content_type.encode()) or _CHARSET.search(body[:_HEAD_BYTES])
    charset = named[1].decode().lower().replace("_", "-") if named else ""
    return body.decode(charset if charset in CHARSETS else "utf-8", errors="replace")


def _title(text: str) -> str:
    start = text.lower().find("<title")
    start = text.find(">", start) if start >= 0 else -1
    if start < 0:
        return ""
    return unescape(text[start + 1 : start + 2000].partition("<")[0])


def _one_line(text: str, length: int) -> str:
    text = " ".join(text.replace("\0", "").split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _image_address(page: str, image: str) -> str:
    try:
        address = urljoin(page, image.strip()) if image.strip() else ""
        is_usable = urlsplit(address).scheme in ("http", "https")
    except ValueError:
        return ""
    is_clean = address.isprintable() and not set(address) & set(" \"'()\\<>")
    return address if is_usable and is_clean and len(address) <= MAX_URL_LENGTH else ""


def _html(preview: LinkPreview) -> str:
    url, title = escape(preview.url), escape(preview.title)
    image = ""
    if preview.image:
        style = escape(f'background-image: url("{preview.image}")')
        image = f'<a class="message_embed_image" href="{url}" style="{style}"></a>'
    return (
        f'{_START}{image}<div class="data-container"><div class="message_embed_title">'
        f'<a href="{url}" title="{title}">{title}</a></div>'
        f'<div class="message_embed_description">{escape(preview.description)}</div></div></div>'
    )
