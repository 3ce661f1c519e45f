"""Events: their types and log, the in-memory directory, and the delivery to clients."""

from tertulia.events import (
    audience,
    delivery,
    directory,
    ephemeral,
    history_reader,
    listener,
    log,
    logged_event,
    notify_payloads,
    presence,
    snapshot,
    stamp_check,
    types,
)
