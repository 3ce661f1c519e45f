"""From what a provider tells of somebody to what that means here, by the provider's settings."""

from collections.abc import Mapping, Sequence

from tertulia import domain
from tertulia.config import InformedProvider
from tertulia.domain.people.user import Role

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMINISTRATOR,
    "moderator": Role.MODERATOR,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}
EVERY_GROUP = "*"


def full_name(told: str, email: str) -> str:
    """A name that can be used here: what is not allowed in one is left out."""
    kept = "".join(" " if char in '*`\\>"@' else char for char in told if char.isprintable())
    name = " ".join(kept.split())[: domain.limits.FULL_NAME_LENGTH].strip()
    return name or email.partition("@")[0]


def is_admitted(provider: InformedProvider, groups: Sequence[str]) -> bool:
    wanted = {name.casefold() for name in provider.only_groups}
    return not wanted or any(name.casefold() in wanted for name in groups)


def role(provider: InformedProvider, groups: Sequence[str]) -> Role | None:
    """The highest role that one of the groups gives; None if it is not for them to say."""
    if not provider.roles:
        return None
    theirs = {name.casefold() for name in groups}
    for word, names in provider.roles:  # from owners down
        if any(name.casefold() in theirs for name in names):
            return ROLES[word]
    return Role.MEMBER


def managed_roles(provider: InformedProvider) -> frozenset[Role]:
    """The roles that are the provider's to give and to take."""
    return frozenset(ROLES[word] for word, _ in provider.roles)


def groups(provider: InformedProvider, theirs: Sequence[str]) -> tuple[str, ...] | None:
    if not provider.groups:
        return None
    if EVERY_GROUP in provider.groups:
        return tuple(theirs)
    brought = {name.casefold() for name in provider.groups}
    return tuple(name for name in theirs if name.casefold() in brought)


def profile(provider: InformedProvider, told: Mapping[str, str]) -> dict[str, str]:
    """What fills in profile fields; what the provider has nothing about is empty."""
    return {field: told.get(name, "") for field, name in provider.profile_fields}
