"""Personal data of users."""

from tertulia.storage.personal import (
    alert_words,
    devices,
    digests,
    drafts,
    missed_messages,
    muted_users,
    navigation_views,
    snippets,
    topic_policies,
    web_push,
)
