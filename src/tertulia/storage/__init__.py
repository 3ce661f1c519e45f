"""The SQL and nothing but: plain values in, plain values out."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.storage import (
        arriving,
        caches,
        channels,
        checking,
        copying,
        database,
        due,
        erasing,
        files,
        groups,
        installation,
        later,
        leaving,
        letters,
        log,
        made,
        messages,
        numbers,
        organization,
        outdated,
        owned,
        people,
        personal,
        queues,
        received_mail,
        records,
        sealing,
        search,
        server_notes,
    )
else:
    __getattr__ = on_demand(__name__)
