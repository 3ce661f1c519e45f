"""Actions of users: one function, one transaction."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.actions import (
        channels,
        data_check,
        disk_warnings,
        files,
        groups,
        housekeeping,
        inbound_mail,
        later,
        mail_addresses,
        mail_outbox,
        messages,
        organization,
        people,
        personal,
        queues,
    )
else:
    __getattr__ = lazy_submodules(__name__)
