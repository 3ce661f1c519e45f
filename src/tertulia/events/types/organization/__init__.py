"""Event types of organization settings."""

from tertulia.events.types.organization import settings
