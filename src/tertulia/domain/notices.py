"""The words of Notification Bot, as source and as HTML at once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of text in both forms."""

    source: str
    html: str
