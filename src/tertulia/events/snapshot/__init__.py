"""The register snapshot: the state that a client starts from."""

from tertulia.events.snapshot import (
    cached_register,
    channels,
    encoded_list,
    lists,
    people,
    presence,
    realm,
    register,
    register_parts,
    server_info,
    snapshot_data,
    unread,
    unread_query,
    warmup,
)
