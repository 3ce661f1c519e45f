"""Event types of users and bots."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.events.types.people import (
        bots,
        invitations,
        known_people,
        profile_fields,
        sessions,
        status,
        user,
    )
else:
    __getattr__ = lazy_submodules(__name__)
