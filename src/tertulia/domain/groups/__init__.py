"""User groups and permissions."""

from tertulia.domain.groups import group, permissions
