"""The register snapshot: the state that a client starts from."""

from tertulia.events.snapshot import (
    cached_register,
    channels,
    compose,
    encoded_list,
    lists,
    people,
    presence,
    realm,
    register,
    server_info,
    snapshot_data,
    unread,
    unread_query,
    warmup,
)
