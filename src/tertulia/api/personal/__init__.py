"""What users keep for themselves."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
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
else:
    __getattr__ = lazy_submodules(__name__)
