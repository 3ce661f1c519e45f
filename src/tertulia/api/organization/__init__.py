"""What administrators manage."""

from tertulia.api.organization import audit, health, server, setting_list, settings
