"""Personal data of users."""

from tertulia.storage.personal import (
    alert_words,
    devices,
    missed_messages,
    muted_users,
    topic_policies,
    web_push,
)
