"""Event types of personal settings and data. Only the user's own clients receive them."""

from tertulia.events.types.personal import (
    alert_words,
    devices,
    drafts,
    muted_users,
    navigation_views,
    settings,
    snippets,
    topic_policies,
)
