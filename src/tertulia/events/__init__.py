"""Events: their types and log, the in-memory directory, and the delivery to clients."""

from tertulia.events import (
    audience,
    delivery,
    directory,
    ephemeral,
    history_reader,
    listener,
    log,
    log_identity,
    logged_event,
    notify_payloads,
    presence,
    public_messages,
    snapshot,
    types,
)
