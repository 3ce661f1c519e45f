"""`tertulia ldap`: look up a person in LDAP, synchronize accounts with it."""

from collections.abc import Collection
from functools import partial
from typing import Any

import click

import tertulia.features  # noqa: F401
from tertulia import actions, storage
from tertulia.cli.open_data import OpenOrganization, as_json, in_organization, show_json, show_table
from tertulia.config.login_providers import LdapDirectory
from tertulia.database.tx import Tx
from tertulia.domain.people.identities import ExternalProfile, ProfileUpdate
from tertulia.errors import ClientError
from tertulia.external.sso import claims
from tertulia.external.sso.ldap import find
from tertulia.external.sso.provider_types import LdapError, LdapPerson

Changes = list[tuple[int, list[str]]]


@click.group()
def ldap() -> None:
    """Check LDAP settings, synchronize accounts with LDAP."""


@ldap.command()
@click.argument("name")
@as_json
@in_organization
def check(opened: OpenOrganization, name: str, as_json: bool) -> None:
    """Show what a login with this name or address would give, without logging in.

    Exits with 1 if no directory has exactly one entry for it.
    """
    found: dict[str, dict[str, str] | None] = {}
    for directory in _directories(opened):
        person = _find(directory, name)
        if person is None:
            found[directory.label] = None
            continue
        known = opened.read(storage.people.identities.find, directory.key, person.subject)
        profile = claims.from_directory(directory, opened.realm.subdomain, person, known)
        fields = opened.read(storage.people.profile_fields.list_all)
        names = {field.name for field in fields}
        rows = [*_described(person, profile, names), ("account", _account(opened, profile))]
        found[directory.label] = dict(rows)
    if as_json:
        show_json(found)
    else:
        for label, entry in found.items():
            if entry is None:
                click.echo(f"{label}: no entry for {name}, or several.")
            else:
                show_table([(label.upper(), ""), *entry.items()])
    if not any(found.values()):
        raise SystemExit(1)


@ldap.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, but change nothing.")
@in_organization
def sync(opened: OpenOrganization, dry_run: bool) -> None:
    """Update all accounts that are linked to a directory."""
    for directory in _directories(opened):
        known = opened.read(storage.people.identities.of_provider, directory.key)
        found = _profile_updates(directory, opened, known)
        sync = partial(_sync_all, found=found, end_missing=directory.deactivate_missing)
        did = opened.dry_run(sync) if dry_run else opened.write(sync)
        for user_id, changes in did:
            user = opened.read(actions.people.users.get, user_id)
            click.echo(f"{user.email} {', '.join(changes)}.")
        would = "would change" if dry_run else "changed"
        click.echo(f"{directory.label}: {len(did)} of {len(known)} accounts {would}.", err=True)


def _sync_all(tx: Tx, found: list[ProfileUpdate], end_missing: bool) -> Changes:
    actions.people.external_identities.check(tx, found, end_missing)
    did = [
        (each.identity.user_id, actions.people.external_identities.sync(tx, each, end_missing))
        for each in found
    ]
    return [(user_id, changes) for user_id, changes in did if changes]


def _directories(opened: OpenOrganization) -> list[LdapDirectory]:
    found = [each for each in opened.config.ldap if each.is_for(opened.realm.subdomain)]
    if not found:
        raise click.ClickException(f"There is no [[ldap]] for {opened.realm.name}.")
    return found


def _find(directory: LdapDirectory, name: str) -> LdapPerson | None:
    try:
        return find(directory, name)
    except LdapError as trouble:
        raise click.ClickException(f"{directory.label} cannot be asked: {trouble}") from None


def _profile_updates(
    directory: LdapDirectory, opened: OpenOrganization, known: list[Any]
) -> list[ProfileUpdate]:
    try:
        return claims.profile_updates(directory, opened.realm.subdomain, known)
    except LdapError as trouble:
        raise click.ClickException(f"{directory.label} cannot be asked: {trouble}") from None


def _described(
    person: LdapPerson, profile: ExternalProfile, fields: Collection[str]
) -> list[tuple[str, str]]:
    role = "unchanged" if profile.role is None else profile.role.name.lower()
    groups = "unchanged" if profile.groups is None else ", ".join(profile.groups) or "none"
    return [
        ("entry", person.dn),
        ("login name", person.login_name),
        ("id", person.subject),
        ("address", person.email or "none: login needs an address"),
        ("name", profile.full_name),
        ("picture", "yes" if person.picture else "no"),
        ("disabled", "yes" if person.is_disabled else "no"),
        ("admitted", "yes" if profile.is_admitted else "no"),
        ("role", role),
        ("groups there", ", ".join(person.groups) or "none"),
        ("groups here", groups),
        *(
            (name, value if name in fields else f"{value} (no such profile field)".strip())
            for name, value in profile.profile.items()
        ),
    ]


def _account(opened: OpenOrganization, profile: ExternalProfile) -> str:
    """The account that a login would lead to, found by a dry run."""

    def log_in(tx: Tx) -> str:
        before = {user.id for user in storage.people.users.list_all(tx)}
        user_id = actions.people.external_identities.match_or_create(tx, opened.vault, profile)
        email = actions.people.users.get(tx, user_id).email
        return email if user_id in before else f"{email}, created at the first login"

    try:
        return opened.dry_run(log_in)
    except ClientError as refusal:
        return f"none: {refusal.msg}"
