"""Renders a message in steps: lines, fences, blocks, inline, previews, HTML."""

import re
from collections.abc import Iterable, Iterator

from tertulia.markdown import autolinks, escape, linkifiers, previews
from tertulia.markdown.blocks import Blocks
from tertulia.markdown.code import CodeHighlighter
from tertulia.markdown.context import Context
from tertulia.markdown.fences import Fences
from tertulia.markdown.inline import Inline
from tertulia.markdown.lines import insert_blank_before_lists, normalize
from tertulia.markdown.math import Formulas
from tertulia.markdown.mentions import Mentioned
from tertulia.markdown.model import LinkPattern, Rendered, Resolved, Settings
from tertulia.markdown.previews import PreviewLocation
from tertulia.markdown.stash import Stash
from tertulia.markdown.tree import Node, walk, write

VERSION = 2

MAX_FORMATTED = 100_000  # characters; a longer text is shown as it was typed

_NO_NAMES = Resolved()
_DEFAULTS = Settings()
# Possessive, so that runs of plain characters are read only once.
_PLAIN = re.compile(r"[A-Za-z](?:[\w ,;?!'\"%/=()\u2010-\u2027-]++|[.:](?= |$))*+")
_UPLOAD = re.compile(r"/?user_uploads/(?!thumbnail/)([^#]+)(?:#.*)?")


def render(source: str, found: Resolved = _NO_NAMES, settings: Settings = _DEFAULTS) -> Rendered:
    """The HTML of a message, and whom and what it mentions."""
    if _is_plain(source, settings):
        return Rendered(f"<p>{source}</p>")
    mentioned = Mentioned()
    root, linking = _parse(source, found, settings, mentioned)
    has_preview = settings.image_previews and previews.add(linking, found)
    links = [link for holder in linking for link in holder.links]
    path_ids = _unique(match[1] for link in links if (match := _UPLOAD.fullmatch(link.href)))
    return Rendered(
        html=write(root),
        mentioned_user_ids=frozenset(mentioned.user_ids),
        mentioned_group_ids=frozenset(mentioned.group_ids),
        mentions_channel=mentioned.channel,
        mentions_topic=mentioned.topic,
        links=_unique(link.href for link in links),
        attachment_path_ids=path_ids,
        has_link=bool(links),
        has_image=has_preview or any(link.is_shown for link in links),
        has_attachment=bool(path_ids),
        is_me_message=source.startswith("/me "),
    )


def render_text(text: str, found: Resolved = _NO_NAMES, settings: Settings = _DEFAULTS) -> str:
    """The HTML of a text that is not a message, such as a profile field: without previews."""
    root, _ = _parse(text, found, settings, Mentioned())
    return write(root)


def render_description(
    text: str, found: Resolved = _NO_NAMES, settings: Settings = _DEFAULTS
) -> str:
    """The HTML of a channel's description, which becomes one line."""
    return render_text(text.replace("\n", " "), found, settings)


def render_topic_links(topic: str, patterns: tuple[LinkPattern, ...] = ()) -> list[dict[str, str]]:
    """The links in a topic, in order. A domain without a scheme gets `https://`."""
    found = [
        (match.start, match.end, match.text, match.url)
        for pattern in patterns
        for match in linkifiers.find(topic, pattern)
    ]
    for address in autolinks.find(topic):
        # Compat: an address with parentheses has never been a link in a topic.
        if "(" not in address.typed:
            url = address.typed if "://" in address.typed else f"https://{address.typed}"
            found.append((address.start, address.end, address.typed, url))
    links = []
    done = 0
    for start, end, text, url in sorted(found):
        if start >= done:
            links.append({"text": text, "url": url})
            done = end
    return links


def _is_plain(source: str, settings: Settings) -> bool:
    """Whether a text is one line without any markup, as most are."""
    if settings.linkifiers or settings.translate_emoticons:
        return False
    return _PLAIN.fullmatch(source) is not None


def _parse(
    source: str, found: Resolved, settings: Settings, mentioned: Mentioned
) -> tuple[Node, list[PreviewLocation]]:
    """The message as a tree whose texts are HTML, and the places in it that have links."""
    root = Node("root")
    if len(source) > MAX_FORMATTED:
        root.add("p").html = escape.code(source)
        return root, []

    stash = Stash()
    formulas = Formulas()
    highlighter = CodeHighlighter(settings.default_code_language)
    lines = normalize(stash.admit(source))
    inline = Inline(stash, formulas, found, settings, mentioned, whole_text="\n".join(lines))
    lines = Fences(stash, formulas, highlighter).replace(lines)
    Blocks(stash).parse_text(root, insert_blank_before_lists("\n".join(lines)), Context())
    return root, list(_finish_texts(root, stash, inline, highlighter))


def _finish_texts(
    root: Node, stash: Stash, inline: Inline, highlighter: CodeHighlighter
) -> Iterator[PreviewLocation]:
    """Convert the texts of a tree to HTML, and yield each place that has links."""
    holder = root
    for node, in_quote in walk(root):
        if node.tag in previews.HOLDERS:
            holder = node
        if node.tag == "indented":
            node.html = highlighter.indented(node.text)
        elif node.text:
            node.html = inline.html(node.text, in_quote=in_quote)
        if node.html:
            node.html, links = stash.restore(node.html)
            if links:
                yield PreviewLocation(holder, links, in_quote)
        if node.tail:
            node.tail_html, links = stash.restore(inline.html(node.tail, in_quote=in_quote))
            if links:
                yield PreviewLocation(holder, links, in_quote)


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
