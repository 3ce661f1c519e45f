"""Event types, by subject. Each is a class that defines everything about its events."""

from tertulia.events.types import (
    channels,
    event,
    files,
    groups,
    messages,
    organization,
    people,
    personal,
)
