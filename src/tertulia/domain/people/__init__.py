"""Users and bots, their logins and profiles."""

from tertulia.domain.people import (
    agents,
    app_login_otp,
    bots,
    external_accounts,
    grant,
    identities,
    invitations,
    keys,
    known_people,
    new_user,
    one_time_links,
    passwords,
    presence,
    profile_fields,
    second_factors,
    sessions,
    status,
    user,
)
