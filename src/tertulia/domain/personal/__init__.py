"""Personal settings, drafts, devices and notifications of a user."""

from tertulia.domain.personal import (
    alert_words,
    devices,
    settings,
    topic_policies,
    web_push,
)
