"""Messages that wait for their time."""

from tertulia.storage.later import reminders, scheduled
