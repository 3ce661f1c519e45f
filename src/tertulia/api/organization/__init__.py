"""What administrators manage."""

from tertulia.api.organization import (
    audit,
    deactivation,
    exports,
    health,
    legal_holds,
    pictures,
    server,
    setting_list,
    settings,
)
