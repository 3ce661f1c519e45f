"""Caches: one interface (`cache`), one table of them all (`table`), one switch (`caches = off`)."""

from tertulia.caches import (
    all_caches,
    cache,
    client_documents,
    encoded_records,
    history,
    logins,
    message_locations,
    registers,
    send_permits,
    sessions,
    usage,
)
