"""Messages to be sent later."""

from tertulia.api.later import reminders, scheduled
