"""Event types of users and bots."""

from tertulia.events.types.people import (
    bots,
    invitations,
    known_people,
    sessions,
    status,
    user,
)
