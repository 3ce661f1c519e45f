"""Organizations, and what their administrators configure."""

from tertulia.domain.organization import (
    audit,
    custom_emoji,
    exports,
    languages,
    linkifiers,
    mail_domains,
    pictures,
    playgrounds,
    realm,
    settings,
    setup_codes,
    usage,
)
