"""Sending, finding, changing and reading messages."""

from tertulia.api.messages import answers, edits, flags, history, reactions, send, widgets
