"""Sending, finding, changing and reading messages."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.api.messages import (
        calls,
        editing,
        fetching,
        flags,
        reactions,
        reports,
        sending,
        typing,
        widgets,
    )
else:
    __getattr__ = on_demand(__name__)
