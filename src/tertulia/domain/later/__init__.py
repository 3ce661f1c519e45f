"""Messages that are sent later: scheduled messages and reminders."""

from tertulia.domain.later import reminders, scheduled
