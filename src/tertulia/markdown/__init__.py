"""Message markup: text in, HTML out, nothing else touched.

    wanted = scan(source)                    # which names the text could mean
    found = Found.of(users=..., groups=...)  # the caller looks them up
    rendered = render(source, found, settings)

The same source, names and settings always give the same HTML. Store `VERSION` with it: a
rendering made under another version may be made again. Every step is linear in the length of the
text; see `inline.py` for how that is kept. By hand, because the HTML has to be what Zulip's server
writes, byte for byte, and no library is both like it and linear.
"""

from tertulia.markdown.model import (
    LinkedChannel,
    LinkPattern,
    MentionedGroup,
    MentionedUser,
    References,
    Rendered,
    Resolved,
    Settings,
    Upload,
)
from tertulia.markdown.rendering import (
    VERSION,
    render,
    render_description,
    render_text,
    render_topic_links,
)
from tertulia.markdown.scanner import scan

__all__ = [
    "VERSION",
    "LinkPattern",
    "LinkedChannel",
    "MentionedGroup",
    "MentionedUser",
    "References",
    "Rendered",
    "Resolved",
    "Settings",
    "Upload",
    "render",
    "render_description",
    "render_text",
    "render_topic_links",
    "scan",
]
