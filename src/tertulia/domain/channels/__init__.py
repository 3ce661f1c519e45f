"""Channels, access to them, their topics and folders."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.channels import access, channel, folders, topics
else:
    __getattr__ = lazy_submodules(__name__)
