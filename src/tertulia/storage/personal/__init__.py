"""What people keep for themselves."""

from typing import TYPE_CHECKING

from tertulia.lazy import on_demand

if TYPE_CHECKING:
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
else:
    __getattr__ = on_demand(__name__)
