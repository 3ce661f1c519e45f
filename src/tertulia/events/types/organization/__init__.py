"""Event types of organization settings."""

from tertulia.events.types.organization import (
    custom_emoji,
    exports,
    linkifiers,
    mail_domains,
    pictures,
    playgrounds,
    settings,
)
