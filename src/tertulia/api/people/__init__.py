"""Accounts, the caller's and others'."""

from typing import TYPE_CHECKING

from tertulia.lazy import lazy_submodules

if TYPE_CHECKING:
    from tertulia.api.people import (
        accounts,
        avatars,
        bot_storage,
        bots,
        invitations,
        jwt,
        ldap_login,
        login,
        passkeys,
        password_hashing,
        presence,
        profile_fields,
        second_factors,
        sessions,
        signatures,
        sso_providers,
        sso_signup,
        status,
        users,
        visible_users,
    )
else:
    __getattr__ = lazy_submodules(__name__)
