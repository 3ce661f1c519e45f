"""What administrators manage."""

from tertulia.api.organization import audit, deactivation, health, server, setting_list, settings
