"""Organizations, and what their administrators configure."""

from tertulia.domain.organization import (
    audit,
    custom_emoji,
    dates,
    exports,
    languages,
    legal_holds,
    linkifiers,
    mail_domains,
    pictures,
    playgrounds,
    plurals,
    realm,
    settings,
    setup_codes,
    usage,
)
