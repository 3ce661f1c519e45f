"""Users and bots, their logins and profiles."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.domain.people import (
        avatar,
        bots,
        external_accounts,
        identities,
        invitations,
        keys,
        known_people,
        new_user,
        one_time_links,
        one_time_passwords,
        passwords,
        presence,
        profile_fields,
        second_factors,
        sessions,
        status,
        user,
        webhook_deliveries,
    )
else:
    __getattr__ = lazy_submodules(__name__)
