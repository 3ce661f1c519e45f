"""Scheduled messages and reminders."""
