"""Channels, and people who come and go."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.events.types.channels import channel, folders, subscriptions
else:
    __getattr__ = on_demand(__name__)
