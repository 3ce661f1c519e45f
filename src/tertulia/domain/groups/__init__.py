"""User groups and permissions."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.groups import group, permissions
else:
    __getattr__ = lazy_submodules(__name__)
