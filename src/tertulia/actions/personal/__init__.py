"""Personal settings and data of a user."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
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
else:
    __getattr__ = lazy_submodules(__name__)
