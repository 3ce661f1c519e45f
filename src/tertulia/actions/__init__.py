"""What people do: one function, one transaction."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.actions import (
        channels,
        checking,
        disk_warnings,
        files,
        groups,
        housekeeping,
        later,
        letters,
        mail_addresses,
        messages,
        organization,
        people,
        personal,
        queues,
        received_mail,
    )
else:
    __getattr__ = on_demand(__name__)
