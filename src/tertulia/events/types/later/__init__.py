"""Event types of scheduled messages and reminders."""

from tertulia.events.types.later import reminders, scheduled
