"""What users keep for themselves."""

from tertulia.api.personal import (
    devices,
    settings,
    settings_of_others,
    topic_policies,
    web_push,
)
