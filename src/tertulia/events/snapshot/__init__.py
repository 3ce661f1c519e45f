"""The register snapshot: the state that a client starts from."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.snapshot import (
        channels,
        compose,
        encoded_list,
        lists,
        people,
        presence,
        realm,
        register_cache,
        server_info,
        snapshot_data,
        unread,
        unread_query,
        warmup,
    )
else:
    __getattr__ = lazy_submodules(__name__)
