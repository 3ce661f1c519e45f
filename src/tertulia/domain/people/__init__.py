"""People and bots: who they are, and what they tell of themselves."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.domain.people import (
        bots,
        external_accounts,
        identities,
        invitations,
        keys,
        known_people,
        newcomers,
        one_time_links,
        one_time_passwords,
        passwords,
        presence,
        profile_fields,
        second_factors,
        sessions,
        status,
        user,
        webhook_calls,
    )
else:
    __getattr__ = on_demand(__name__)
