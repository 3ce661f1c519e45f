"""Event types of messages."""

from tertulia.events.types.messages import edits, flags, message, reactions, submessages
