"""What administrators manage."""

from tertulia.api.organization import (
    audit,
    deactivation,
    health,
    legal_holds,
    server,
    setting_list,
    settings,
)
