"""Messages that are sent later: scheduled messages and reminders."""
