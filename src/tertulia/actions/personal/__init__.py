"""Personal settings and data of a user."""

from tertulia.actions.personal import (
    devices,
    missed_messages,
    settings,
    topic_policies,
    unsubscribe,
    web_push,
)
