"""Addresses of links: allowed schemes, and the form of an address in an `href`."""

import re
from urllib.parse import urlsplit, urlunsplit

BARE_SCHEMES = ("http", "https", "hansoft", "obsidian", "zotero", "asanadesktop")

_SCHEMES = frozenset(BARE_SCHEMES) | {
    *("ftp", "mid", "mailto", "tel", "sms", "smsto", "ssh", "irc", "ircs", "magnet", "matrix"),
    *("xmpp", "sip", "geo", "bitcoin", "news", "nntp", "im", "mms", "urn", "webcal", "wtai"),
    "openpgp4fpr",
}
_MAIL = re.compile(r"[^\s/?#:@]+@[^\s/?#:@]+")


def encode(typed: str, base_url: str) -> str | None:
    """The `href` for an address as typed, or None if it may not be linked.

    Without a scheme it is an email address, a path or anchor on this server, or a domain.
    """
    try:
        parts = urlsplit(typed)
        if parts.scheme:
            if parts.scheme not in _SCHEMES:
                return None
            address = urlunsplit(parts)
        elif _MAIL.fullmatch(typed):
            return f"mailto:{typed}"
        elif parts.netloc or not (
            parts.path.startswith("/") or (not parts.path and parts.fragment)
        ):
            address = "http://" + urlunsplit(parts).removeprefix("//")
        else:
            address = urlunsplit(parts)
        urlsplit(address)
    except ValueError:  # invalid IPv6 brackets and the like
        return None
    return _relative(address.replace(" ", "%20"), base_url)


def is_allowed(address: str) -> bool:
    """Whether an address may be linked: it has an allowed scheme or is a path on this server."""
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        return False
    return scheme in _SCHEMES if scheme else address.startswith("/")


def _relative(address: str, base_url: str) -> str:
    """Addresses of the organization and its uploads are written without the host."""
    if base_url and address.startswith((f"{base_url}/#", f"{base_url}/user_uploads/")):
        return address[len(base_url) + 1 :]
    return address
