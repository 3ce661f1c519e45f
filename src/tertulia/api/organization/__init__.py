"""What administrators manage."""

from tertulia.api.organization import (
    audit,
    custom_emoji,
    deactivation,
    exports,
    health,
    legal_holds,
    linkifiers,
    mail_domains,
    pictures,
    playgrounds,
    retention,
    server,
    setting_list,
    settings,
    usage,
    welcome_message,
)
