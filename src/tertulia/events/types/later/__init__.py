"""Event types of scheduled messages and reminders."""
