"""The accounts of an organization, indexed by API key, email address, name and role."""

from typing import Generic, TypeVar

from pyroaring import BitMap

from tertulia import domain
from tertulia.domain.people.user import Role, User

Name = TypeVar("Name")


class Accounts:
    def __init__(self) -> None:
        self.by_id: dict[int, User] = {}
        self.by_role: dict[Role, BitMap] = {role: BitMap() for role in Role}  # active accounts only
        self.inactive = BitMap()
        self._by_key: dict[bytes, int] = {}
        self._key_of: dict[int, bytes] = {}
        self._by_email: NameIndex[str] = NameIndex()
        self._by_name: dict[str, set[int]] = {}

    def with_key(self, fingerprint: bytes) -> User | None:
        user_id = self._by_key.get(fingerprint)
        return None if user_id is None else self.by_id[user_id]

    def with_email(self, email: str) -> User | None:
        """By real email address."""
        user_id = self._by_email.owner(domain.people.user.email_key(email))
        return None if user_id is None else self.by_id[user_id]

    def named(self, name: str) -> list[User]:
        """By full name, ignoring case. Several users may share a name."""
        return [self.by_id[user_id] for user_id in self._by_name.get(name.lower(), ())]

    def with_placeholder_email(self, email: str, email_domain: str) -> User | None:
        """By the address that is shown in place of a hidden one."""
        name, _, host = domain.people.user.email_key(email).partition("@")
        digits = name.removeprefix("user")
        is_id = digits.isdecimal() and len(digits) <= domain.limits.MAX_ID_DIGITS
        return self.by_id.get(int(digits)) if is_id and host == email_domain.lower() else None

    def active_count(self) -> int:
        """The number of active accounts, including bots."""
        return len(self.by_id) - len(self.inactive)

    def key_of(self, user_id: int) -> bytes | None:
        return self._key_of.get(user_id)

    def set_user(self, user: User, fingerprint: bytes | None) -> None:
        known = self.by_id.get(user.id)
        if known is not None:
            self._remove(known)
        self._insert(user)
        self._by_email.add(domain.people.user.email_key(user.email), user.id)
        self._by_name.setdefault(user.full_name.lower(), set()).add(user.id)
        if fingerprint is not None:
            self._by_key[fingerprint] = user.id
            self._key_of[user.id] = fingerprint

    def snapshot(self) -> "Accounts":
        """A copy in which roles and activity can be rewound. It has no other index."""
        copy = Accounts()
        copy.by_id = {**self.by_id}
        copy.by_role = {role: ids.copy() for role, ids in self.by_role.items()}
        copy.inactive = self.inactive.copy()
        return copy

    def restore(self, user: User) -> None:
        """Put a user's former state into a copy made by `snapshot`."""
        self.by_role[self.by_id[user.id].role].discard(user.id)
        self.inactive.discard(user.id)
        self._insert(user)

    def _insert(self, user: User) -> None:
        self.by_id[user.id] = user
        if not user.is_active:
            self.inactive.add(user.id)
        elif not user.is_system_bot:
            self.by_role[user.role].add(user.id)

    def _remove(self, user: User) -> None:
        """Remove a user from all indexes."""
        self._by_email.remove(domain.people.user.email_key(user.email), user.id)
        self._by_name[user.full_name.lower()].discard(user.id)
        self._by_key.pop(self._key_of.pop(user.id, b""), None)
        self.by_role[user.role].discard(user.id)
        self.inactive.discard(user.id)


class NameIndex(Generic[Name]):
    """Index by a name that is unique, but may have two owners for a moment.

    When several events are rewound and applied again one by one (`Event.undo`), a user can take a
    name before its owner gives it up. So each owner removes only their own entry.
    """

    def __init__(self) -> None:
        self._owners: dict[Name, tuple[int, ...]] = {}

    def owner(self, name: Name) -> int | None:
        owners = self._owners.get(name)
        return None if owners is None else owners[-1]

    def add(self, name: Name, owner_id: int) -> None:
        self._owners[name] = (*self._owners.get(name, ()), owner_id)

    def remove(self, name: Name, owner_id: int) -> None:
        others = tuple(each for each in self._owners.get(name, ()) if each != owner_id)
        if others:
            self._owners[name] = others
        else:
            self._owners.pop(name, None)
