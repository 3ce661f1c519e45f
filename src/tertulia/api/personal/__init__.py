"""What users keep for themselves."""

from tertulia.api.personal import (
    alert_words,
    devices,
    drafts,
    muted_users,
    navigation_views,
    settings,
    settings_of_others,
    snippets,
    topic_policies,
    web_push,
)
