"""Slack's incoming webhooks, a format that many tools can send:
https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks

Text, blocks and attachments become Markdown. Elements without an equivalent, such as buttons, are
left out; a message without any text is rejected.
"""

import re
from collections.abc import Callable

from tertulia.integrations.payload import Payload, WebhookRequest
from tertulia.integrations.phrases import fenced, link, quoted, shortened
from tertulia.integrations.webhook_message import WebhookMessage, WebhookRejected

MAX_TEXT_LENGTH = 9000
DEEPEST = 10

_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_REFERENCE = re.compile(r"<([^<>\n]{1,3000})>")
_MARKS = {
    "*": ("**", re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,2000})(?<=\S)\*(?![\w*])")),
    "_": ("*", re.compile(r"(?<![\w_])_(?=\S)([^_\n]{1,2000})(?<=\S)_(?![\w_])")),
    "~": ("~~", re.compile(r"(?<![\w~])~(?=\S)([^~\n]{1,2000})(?<=\S)~(?![\w~])")),
}
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def to_message(request: WebhookRequest) -> WebhookMessage | None:
    payload = request.payload
    parts = [_block(each) for each in payload.each("blocks")]
    parts += [_attachment(each) for each in payload.each("attachments")]
    text = "\n\n".join(filter(None, parts))
    plain = markup(payload.words("text"))
    if not text or (plain and not payload.find("blocks")):
        emoji = payload.words("icon_emoji")
        text = "\n\n".join(filter(None, [" ".join(filter(None, [emoji, plain])), text]))
    if not text.strip() or text == payload.words("icon_emoji"):
        raise WebhookRejected("No text, blocks or attachments in the payload")
    channel = payload.words("channel").lstrip("#@")
    return WebhookMessage("message", channel or "(no topic)", shortened(text, MAX_TEXT_LENGTH))


def markup(text: str) -> str:
    """Slack's markup as Markdown; code is not changed."""
    parts = _CODE.split(text)
    return "".join(
        _plain(part) if index % 2 else _converted(part) for index, part in enumerate(parts)
    )


def _converted(text: str) -> str:
    for ours, pattern in _MARKS.values():
        text = pattern.sub(lambda found, ours=ours: f"{ours}{found[1]}{ours}", text)  # type: ignore[misc]
    return _plain(_REFERENCE.sub(lambda found: _reference(found[1]), text))


def _reference(inside: str) -> str:
    target, _, words = inside.partition("|")
    if target.startswith("!"):
        if target in ("!channel", "!here", "!everyone"):
            return "@**all**"
        return words.lstrip("@") or target[1:].partition("^")[0]
    if target.startswith(("@", "#")):
        return f"{target[0]}{words or target[1:]}"
    if target.startswith("mailto:"):
        return words or target.removeprefix("mailto:")
    if not target.lower().startswith(("http://", "https://")):
        return f"<{inside}>"
    return link(words, target) if words else target


def _plain(text: str) -> str:
    for written, meant in _ENTITIES:
        text = text.replace(written, meant)
    return text


# --- blocks ---


def _block(block: Payload) -> str:
    make = BLOCKS.get(block.words("type"))
    return "" if make is None else make(block)


def _section(block: Payload) -> str:
    fields = [_text(each) for each in block.each("fields")]
    return "\n\n".join(filter(None, [_text(block.find("text")), _columns(fields)]))


def _columns(fields: list[str]) -> str:
    return "\n".join(f"* {each.strip()}" for each in fields if each.strip())


def _text(text: Payload) -> str:
    """A text object: `plain_text` is literal, `mrkdwn` has markup."""
    words = text.words("text")
    return _plain(words) if text.words("type") == "plain_text" else markup(words)


def _header(block: Payload) -> str:
    words = _plain(block.words("text.text")).replace("\n", " ")
    return f"## {words}" if words else ""


def _context(block: Payload) -> str:
    parts = [
        _image(each) if each.words("image_url") else _text(each) for each in block.each("elements")
    ]
    return " ".join(filter(None, parts))


def _image(block: Payload) -> str:
    named = block.words("title.text", "alt_text") or "image"
    return link(named, block.words("image_url", "slack_file.url"))


def _rich(block: Payload) -> str:
    return "\n".join(filter(None, (_rich_part(each, 0) for each in block.each("elements"))))


def _rich_part(part: Payload, depth: int) -> str:
    kind = part.words("type")
    if depth > DEEPEST:
        return ""
    if kind == "rich_text_list":
        mark = "1." if part.words("style") == "ordered" else "*"
        indent = part.find("indent").value
        margin = "  " * (min(indent, 8) if isinstance(indent, int) and indent > 0 else 0)
        items = (_rich_part(each, depth + 1) for each in part.each("elements"))
        return "\n".join(f"{margin}{mark} {item}" for item in items)
    words = "".join(_rich_element(each) for each in part.each("elements"))
    if kind == "rich_text_quote":
        return quoted(words)
    if kind == "rich_text_preformatted":
        return fenced("", words)
    return words


def _rich_element(element: Payload) -> str:
    kind = element.words("type")
    if kind == "text":
        value = element.find("text").value
        return _styled(value if isinstance(value, str) else "", element)
    if kind == "link":
        address = element.words("url")
        return link(element.words("text"), address) if element.words("text") else address
    if kind == "emoji":
        return f":{element.words('name')}:"
    if kind == "user":
        return f"@{element.words('user_id')}"
    if kind == "channel":
        return f"#{element.words('channel_id')}"
    if kind == "broadcast":
        return "@**all**"
    return element.words("fallback", "text")


def _styled(text: str, element: Payload) -> str:
    words = text.strip()
    if not words:
        return text
    for style, mark in (("code", "`"), ("strike", "~~"), ("italic", "*"), ("bold", "**")):
        if element.is_true(f"style.{style}"):
            words = f"{mark}{words}{mark}"
    before = text[: len(text) - len(text.lstrip())]
    after = text[len(text.rstrip()) :]
    return f"{before}{words}{after}"


BLOCKS: dict[str, Callable[[Payload], str]] = {
    "context": _context,
    "divider": lambda block: "----",
    "header": _header,
    "image": _image,
    "markdown": lambda block: block.words("text"),
    "rich_text": _rich,
    "section": _section,
}


# --- attachments (legacy) ---


def _attachment(attachment: Payload) -> str:
    title, address = _plain(attachment.words("title")), attachment.words("title_link")
    at = attachment.find("ts").value
    parts = [
        markup(attachment.words("pretext")),
        f"## {link(title, address)}" if title else "",
        markup(attachment.words("text")),
        *(_block(each) for each in attachment.each("blocks")),
        _columns([_field(each) for each in attachment.each("fields")]),
        link("image", attachment.words("image_url")) if attachment.words("image_url") else "",
        _plain(attachment.words("footer")),
        f"<time:{int(at)}>" if isinstance(at, int | float) and 0 < at < 1e11 else "",
    ]
    return "\n\n".join(filter(None, parts)) or _plain(attachment.words("fallback"))


def _field(field: Payload) -> str:
    title, value = _plain(field.words("title")), markup(field.words("value"))
    return f"**{title}**: {value}" if title else value
