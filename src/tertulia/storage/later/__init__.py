"""Scheduled messages and reminders."""

from tertulia.storage.later import reminders, scheduled
