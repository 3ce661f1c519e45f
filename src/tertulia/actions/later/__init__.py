"""Scheduled messages, reminders and retention."""

from tertulia.actions.later import retention
