"""Caches: one interface (`cache`), one table of them all (`table`), one switch (`caches = off`)."""

from tertulia.caches import (
    cache,
    encoded_records,
    history,
    logins,
    message_locations,
    registers,
    send_permits,
    sessions,
    table,
    usage,
)
