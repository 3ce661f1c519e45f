"""Event queues."""

from tertulia.errors import ClientError


class BadQueue(ClientError):
    code = "BAD_EVENT_QUEUE_ID"
    message = "Bad event queue ID: {queue_id}"
    keys = ("queue_id",)


class EventNotInQueue(ClientError):
    message = "Event {event_id} was not in this queue"
