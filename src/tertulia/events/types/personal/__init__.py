"""Event types of personal settings and data. Only the user's own clients receive them."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
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
else:
    __getattr__ = lazy_submodules(__name__)
