"""Events: their types and log, the in-memory directory, and the delivery to clients."""

from tertulia.events import (
    audience,
    conversation_keys,
    delivery,
    directory,
    encoded_records,
    ephemeral,
    history_cache,
    listener,
    log,
    logged_event,
    message_locations,
    notify_payloads,
    presence,
    recognition,
    send_permits,
    session_cache,
    snapshot,
    types,
)
