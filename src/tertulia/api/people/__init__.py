"""Accounts, one's own and others'."""

from typing import TYPE_CHECKING

from tertulia.modules import on_demand

if TYPE_CHECKING:
    from tertulia.api.people import (
        accounts,
        avatars,
        bot_storage,
        bots,
        directories,
        hashing,
        invitations,
        jwt,
        login,
        named,
        passkeys,
        presence,
        profile_fields,
        providers,
        receiving,
        second_factors,
        sessions,
        signatures,
        status,
        users,
    )
else:
    __getattr__ = on_demand(__name__)
