"""Personal settings, drafts, devices and notifications of a user."""

from tertulia.domain.personal import (
    alert_words,
    devices,
    digests,
    drafts,
    missed_messages,
    navigation_views,
    settings,
    snippets,
    topic_policies,
    unsubscribe,
    web_push,
)
