"""Catching up: the sentences of unread messages that matter most to a user."""

from tertulia.features.catch_up import conversations, cues, summary
