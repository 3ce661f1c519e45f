"""Accounts, the caller's and others'."""

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
