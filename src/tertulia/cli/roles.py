"""Roles by the words that commands call them."""

from tertulia.domain.people.user import Role

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMINISTRATOR,
    "moderator": Role.MODERATOR,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}
