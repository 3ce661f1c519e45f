"""The settings that all kinds of login providers share.

A row is declared as in `settings`, but has neither a flag nor a variable: the file may have several
tables of each kind, each for the organizations it names.
"""

from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

from tertulia.config.parsers import (
    GROUPS_BY_ROLE,
    LIST,
    NEEDED,
    PAIRS,
    WORD,
    Kind,
    Setting,
    T,
    one_of,
    setting,
)


def row(default: T, kind: Kind[T], help: str, *, when_empty: str = "", secret: bool = False) -> T:
    return setting(default, kind, help, when_empty=when_empty, flag_of="none", is_private=secret)


def unset_row(kind: Kind[str], help: str, means: str = "none", *, secret: bool = False) -> str:
    """An optional row; `means` says in the docs what the empty default means."""
    return row("", kind, help, when_empty=means, secret=secret)


def needed(kind: Kind[T], help: str, *, secret: bool = False) -> T:
    """A required row."""
    about = Setting(kind, NEEDED, help, "", "none", secret, "")
    made: T = field(repr=not secret, metadata={"setting": about})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    TABLE: ClassVar[str]
    METHOD: ClassVar[str]
    MEANING: ClassVar[str]

    name: str = unset_row(WORD, "The name in URLs and logs.", "the name of the table")
    organizations: tuple[str, ...] = row(
        (),
        LIST,
        'The subdomains of the organizations that use it; `""` is the one without a subdomain.',
        when_empty="all of them",
    )
    new_people: str = row(
        "invited",
        one_of("invited", "anybody", "nobody"),
        "Who gets an account at the first login: people who are invited or may sign up by"
        " themselves, everyone who logs in this way, or no one.",
    )

    @property
    def key(self) -> str:
        """The provider's name in stored identities."""
        return f"{self.TABLE}:{self.label}"

    @property
    def label(self) -> str:
        return self.name or self.TABLE

    @property
    def method(self) -> str:
        """Its name among the organization's `authentication_methods`."""
        return self.METHOD

    def is_for(self, subdomain: str) -> bool:
        return not self.organizations or subdomain in self.organizations

    def check(self) -> None:
        """Raises ConfigError for rows that do not go together."""

    @classmethod
    def rows(cls) -> list[Setting]:
        return [replace(each.metadata["setting"], name=each.name) for each in fields(cls)]


@dataclass(frozen=True, slots=True, kw_only=True)
class InformedProvider(Provider):
    """A provider that also supplies groups, roles and profile fields."""

    only_groups: tuple[str, ...] = row(
        (),
        LIST,
        "Only members of at least one of these groups can log in.",
        when_empty="no restriction",
    )
    groups: tuple[str, ...] = row(
        (),
        LIST,
        "Groups to copy: the server creates missing groups and updates their members; `*` copies"
        " all groups.",
        when_empty="none",
    )
    roles: tuple[tuple[str, tuple[str, ...]], ...] = row(
        (),
        GROUPS_BY_ROLE,
        'Which groups give which role: `{ admin = "it", guest = ["visitors", "press"] }`. A user'
        " who leaves the group becomes a member again. Roles not named here are not changed.",
        when_empty="none: only administrators assign roles",
    )
    profile_fields: tuple[tuple[str, str], ...] = row(
        (),
        PAIRS,
        'Profile fields and the attributes that fill them: `{ "Phone number" = "mobile" }`.',
        when_empty="none",
    )

    @property
    def asks_for_groups(self) -> bool:
        return bool(self.only_groups or self.groups or self.roles)
