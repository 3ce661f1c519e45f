"""User groups, and the permissions that name them."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
    from tertulia.domain.groups import group, permissions
else:
    __getattr__ = on_demand(__name__)
