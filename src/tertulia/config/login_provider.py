"""What all who vouch for people have in common, whatever their table in the settings file.

A row is declared as in `settings`, but has neither a flag nor a variable: of each table there may
be several, each for the organizations it names.
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
    """A row that is empty unless it is given; `means` says what that means."""
    return row("", kind, help, when_empty=means, secret=secret)


def needed(kind: Kind[T], help: str, *, secret: bool = False) -> T:
    """A row that must be there."""
    about = Setting(kind, NEEDED, help, "", "none", secret, "")
    made: T = field(repr=not secret, metadata={"setting": about})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What can be said of everybody who vouches for people."""

    TABLE: ClassVar[str]
    METHOD: ClassVar[str]
    MEANING: ClassVar[str]

    name: str = unset_row(WORD, "What it is called in addresses and logs.", "the table's")
    organizations: tuple[str, ...] = row(
        (),
        LIST,
        'The subdomains of the organizations it is for; `""` is the one at the bare host.',
        when_empty="all of them",
    )
    new_people: str = row(
        "invited",
        one_of("invited", "anybody", "nobody"),
        "Who gets an account at the first login: those whom the organization lets sign up by"
        " themselves or has invited, anybody who comes this way, or nobody.",
    )

    @property
    def key(self) -> str:
        """What accounts that came from there are remembered by."""
        return f"{self.TABLE}:{self.called}"

    @property
    def called(self) -> str:
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
    """One that can tell more of people than who they are."""

    only_groups: tuple[str, ...] = row(
        (), LIST, "Only members of one of these groups may come in.", when_empty="everybody may"
    )
    groups: tuple[str, ...] = row(
        (),
        LIST,
        "Groups that people are brought into, made here if missing; `*` is all they are in.",
        when_empty="none",
    )
    roles: tuple[tuple[str, tuple[str, ...]], ...] = row(
        (),
        GROUPS_BY_ROLE,
        'Which groups give which role: `{ admin = "it", guest = ["visitors", "press"] }`. Who is in'
        " none of them any more is a member again; roles that are not named here stay as they are.",
        when_empty="roles are given here alone",
    )
    profile_fields: tuple[tuple[str, str], ...] = row(
        (),
        PAIRS,
        'Which attribute fills in which profile field: `{ "Phone number" = "mobile" }`.',
        when_empty="none",
    )

    @property
    def asks_for_groups(self) -> bool:
        return bool(self.only_groups or self.groups or self.roles)
