"""Scheduled messages and reminders."""

from tertulia.errors import ClientError


class TimeNotInFuture(ClientError):
    message = "Scheduled delivery time must be in the future."


class TooLateToDeliver(ClientError):
    message = "Message could not be sent at the scheduled time."


class ReminderNotFound(ClientError):
    status = 404
    message = "Reminder does not exist"
