"""Personal settings and data of a user."""

from tertulia.actions.personal import (
    alert_words,
    devices,
    digests,
    drafts,
    missed_messages,
    muted_users,
    navigation_views,
    settings,
    snippets,
    topic_policies,
    unsubscribe,
    web_push,
)
