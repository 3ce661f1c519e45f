"""Sending, finding, changing and reading messages."""

from tertulia.api.messages import edits, flags, history, reactions, send, widgets
