"""Previews of pictures and videos that are recognized by their address, without fetching it.

Each address is shown once, below its paragraph, heading or table, or inside its list item; an
address that is the whole paragraph is replaced by the preview. Quotes have no previews.
"""

import re
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from tertulia.markdown import escape, links
from tertulia.markdown.model import Resolved
from tertulia.markdown.tree import Link, Node

MAX_PREVIEWS = 24  # a message with more has none

_IMAGES = (".bmp", ".gif", ".jpe", ".jpeg", ".jpg", ".png", ".webp")
_VIDEOS = (".mp4", ".m4v", ".mov", ".webm")
HOLDERS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "table"))
_YOUTUBE_HOSTS = frozenset(("youtube.com", "www.youtube.com", "m.youtube.com"))
_YOUTUBE_PATHS = re.compile(r"/(?:embed|shorts|v)/([\w-]+)")


class PreviewLocation(NamedTuple):
    """A block with links, which would contain their previews."""

    holder: Node
    links: list[Link]
    in_quote: bool


def add(locations: list[PreviewLocation], found: Resolved) -> bool:
    """Add previews to the blocks; returns whether there are any."""
    planned: dict[str, tuple[PreviewLocation, Link, str]] = {}
    for location in locations:
        for link in location.links:
            if not location.in_quote and link.href not in planned:
                html = _preview(link, found)
                if html:
                    planned[link.href] = (location, link, html)
    if len(planned) > MAX_PREVIEWS:
        return False
    for location, link, html in planned.values():
        location.holder.previews = [*location.holder.previews, html]
        location.holder.is_replaced = _stands_alone(location, link)
    return bool(planned)


def _stands_alone(location: PreviewLocation, link: Link) -> bool:
    """Whether the block is only this address, so that the preview replaces it."""
    holder = location.holder
    if link.href != link.shown or holder.tag not in ("p", "li") or _youtube_id(link.href):
        return False
    return holder.html.strip() == f"{escape.tag('a', href=link.href)}{escape.text(link.shown)}</a>"


def _preview(link: Link, found: Resolved) -> str:
    if link.is_shown or link.is_reference:
        return ""
    video = _youtube_id(link.href)
    if video:
        picture = escape.tag("img", src=f"https://i.ytimg.com/vi/{video}/mqdefault.jpg")
        opening = escape.tag("a", data_id=video, href=link.href)
        return f'<div class="youtube-video message_inline_image">{opening}{picture}</a></div>'
    path = _path(link.href)
    address = _picture_address(link.href)
    title = link.shown if link.shown != link.href else None
    opening = escape.tag("a", href=address, title=title)
    if path.endswith(_VIDEOS) and _is_there(link.href, found):
        player = escape.tag("video", preload="metadata", src=address) + "</video>"
        return f'<div class="message_inline_image message_inline_video">{opening}{player}</a></div>'
    if path.endswith(_IMAGES) and _is_there(link.href, found):
        picture = _picture(address, found)
        if not picture:
            return ""
        return f'<div class="message_inline_image">{opening}{picture}</a></div>'
    return ""


def _is_there(href: str, found: Resolved) -> bool:
    if href.startswith("/user_uploads/"):
        return href.removeprefix("/user_uploads/") in found.uploads
    return href.startswith(("http://", "https://", "user_uploads/"))


def _picture(address: str, found: Resolved) -> str:
    """The preview of a picture; empty for an upload that is not a picture, despite its name."""
    upload = found.uploads.get(address.removeprefix("/user_uploads/"))
    if upload is None:
        return escape.tag("img", src=address)
    return links.picture(upload) if upload.content_type.startswith("image/") else ""


def _picture_address(href: str) -> str:
    """The picture that a page of one of two well-known sites shows."""
    parts = urlsplit(href)
    host = parts.hostname or ""
    if host.endswith(".wikipedia.org") and parts.path.startswith("/wiki/File:"):
        return href.replace("/wiki/File:", "/wiki/Special:FilePath/File:", 1)
    if host == "www.dropbox.com" and parts.path.startswith("/scl/"):
        return f"{href}{'&' if parts.query else '?'}raw=1"
    return href


def _path(href: str) -> str:
    try:
        return urlsplit(href).path.lower()
    except ValueError:
        return ""


def _youtube_id(href: str) -> str:
    parts = urlsplit(href)
    host = parts.hostname or ""
    if host == "youtu.be":
        return parts.path[1:] if re.fullmatch(r"/[\w-]+", parts.path) else ""
    if host not in _YOUTUBE_HOSTS:
        return ""
    if parts.path == "/watch":
        video = parse_qs(parts.query).get("v", [""])[0]
        return video if re.fullmatch(r"[\w-]+", video) else ""
    match = _YOUTUBE_PATHS.fullmatch(parts.path)
    return match[1] if match else ""
