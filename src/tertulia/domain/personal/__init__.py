"""Personal settings, drafts, devices and notifications of a user."""

from tertulia.domain.personal import (
    alert_words,
    devices,
    missed_messages,
    settings,
    topic_policies,
    unsubscribe,
    web_push,
)
