"""Event types of channels and subscriptions."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.channels import channel, folders, subscriptions
else:
    __getattr__ = lazy_submodules(__name__)
