"""Users and bots, their logins and profiles."""

from tertulia.domain.people import (
    agents,
    avatar,
    bots,
    external_accounts,
    grant,
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
