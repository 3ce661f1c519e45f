"""Accounts, the caller's and others'."""

from tertulia.api.people import (
    accounts,
    agents,
    avatars,
    bots,
    crypto_queue,
    jwt,
    ldap_login,
    login,
    password_hashing,
    sessions,
    sso_providers,
    sso_signup,
    users,
    visible_users,
)
