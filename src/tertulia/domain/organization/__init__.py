"""Organizations, and what their administrators configure."""

from tertulia.domain.organization import (
    audit,
    custom_emoji,
    languages,
    legal_holds,
    linkifiers,
    mail_domains,
    pictures,
    realm,
    settings,
    setup_codes,
)
