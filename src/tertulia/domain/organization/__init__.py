"""Organizations, and what their administrators configure."""

from tertulia.domain.organization import (
    audit,
    custom_emoji,
    languages,
    linkifiers,
    mail_domains,
    pictures,
    realm,
    settings,
)
