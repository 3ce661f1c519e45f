"""Caches: one interface (`cache`), one table of them all (`table`), one switch (`caches = off`)."""

from tertulia.caches import (
    all_caches,
    cache,
    encoded_records,
    history,
    message_locations,
    send_permits,
    sessions,
)
