"""Maps the claims and attributes of a provider to a profile, as the provider's settings say."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tertulia import domain
from tertulia.config import InformedProvider, Provider
from tertulia.config.login_providers import LdapDirectory, OpenIdProvider, SamlProvider
from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.identities import (
    AdmissionPolicy,
    ExternalProfile,
    Identity,
    ProfileUpdate,
)
from tertulia.domain.people.user import Role
from tertulia.errors.messages import BadImage
from tertulia.external.sso.provider_types import LdapPerson, ProviderUser, SamlPerson
from tertulia.log import log

ROLES = {
    "owner": Role.OWNER,
    "admin": Role.ADMINISTRATOR,
    "moderator": Role.MODERATOR,
    "member": Role.MEMBER,
    "guest": Role.GUEST,
}
ALL_GROUPS = "*"
MAX_LISTED_LENGTH = 300


def from_directory(
    directory: LdapDirectory, subdomain: str, person: LdapPerson, known: Identity | None
) -> ExternalProfile:
    """The profile of a directory entry, for one organization. Converting a picture is slow, so a
    picture that is already stored is not converted again."""
    mark = hashlib.sha256(person.picture).hexdigest() if person.picture else ""
    is_new = mark and (known is None or known.picture_mark != mark)
    refusal = _directory_refusal(directory, subdomain, person)
    return ExternalProfile(
        provider=directory.key,
        method=directory.method,
        subject=person.subject,
        emails=(person.email,),
        full_name=full_name(person.full_name, person.email),
        welcome=AdmissionPolicy(directory.new_people),
        is_admitted=not refusal,
        is_disabled=person.is_disabled,
        has_lasting_subject=bool(directory.id_attribute),
        leads=True,
        picture=_picture(directory, person) if is_new else None,
        picture_mark=mark,
        profile=profile_values(directory, person.attributes),
        role=role(directory, person.groups),
        managed_roles=managed_roles(directory),
        groups=groups(directory, person.groups),
        refusal=refusal,
    )


def from_provider(provider: OpenIdProvider, user: ProviderUser) -> ExternalProfile:
    """The profile of a user of an OpenID provider or GitHub."""
    theirs = _texts(user.claims.get(provider.groups_claim))
    claims = {name: value for name, value in user.claims.items() if isinstance(value, str)}
    email = user.emails[0] if user.emails else ""
    return ExternalProfile(
        provider=provider.key,
        method=provider.method,
        subject=user.subject,
        emails=user.emails,
        full_name=full_name(_name(provider, claims), email),
        welcome=AdmissionPolicy(provider.new_people),
        is_admitted=is_admitted(provider, theirs),
        profile=profile_values(provider, claims),
        role=role(provider, theirs),
        managed_roles=managed_roles(provider),
        groups=groups(provider, theirs),
        refusal=_groups_refusal(provider, theirs),
        address_source=(
            f"looked for email with email_verified true; claims: {_name_list(user.claims)}"
        ),
    )


def from_saml(provider: SamlProvider, subdomain: str, person: SamlPerson) -> ExternalProfile:
    """The profile of a SAML user, for one organization. Its email addresses count as verified."""
    email = person.first(provider.email_attribute) or (
        "" if provider.email_attribute else person.name_id
    )
    names = (provider.first_name_attribute, provider.last_name_attribute)
    parts = " ".join(filter(None, (person.first(name) for name in names)))
    theirs = person.attributes.get(provider.groups_attribute, [])
    organizations = person.attributes.get(provider.organization_attribute, [])
    claims = {name: values[0] for name, values in person.attributes.items() if values}
    refusal = _groups_refusal(provider, theirs)
    if provider.organization_attribute and subdomain not in organizations:
        refusal = _organization_refusal(provider.organization_attribute, subdomain, organizations)
    wanted = f"attribute {provider.email_attribute}" if provider.email_attribute else "NameID"
    return ExternalProfile(
        provider=provider.key,
        method=provider.method,
        subject=person.first(provider.id_attribute) or person.name_id,
        emails=(email,) if email else (),
        full_name=full_name(parts or person.first(provider.name_attribute), email),
        welcome=AdmissionPolicy(provider.new_people),
        is_admitted=not refusal,
        has_lasting_subject=bool(provider.id_attribute),
        profile=profile_values(provider, claims),
        role=role(provider, theirs),
        managed_roles=managed_roles(provider),
        groups=groups(provider, theirs),
        refusal=refusal,
        address_source=f"looked for the {wanted}; attributes: {_name_list(person.attributes)}",
    )


def by_address(provider: Provider, email: str) -> ExternalProfile:
    """The profile of a user of whom only an email address is known."""
    return ExternalProfile(
        provider=provider.key,
        method=provider.method,
        subject=domain.people.user.email_key(email),
        emails=(email,),
        full_name=full_name("", email),
        welcome=AdmissionPolicy(provider.new_people),
        has_lasting_subject=False,
    )


def _name(provider: OpenIdProvider, claims: Mapping[str, str]) -> str:
    parts = (claims.get("given_name", ""), claims.get("family_name", ""))
    return (
        claims.get(provider.name_claim)
        or " ".join(filter(None, parts))
        or claims.get("preferred_username", "")
    )


def _texts(value: Any) -> list[str]:
    """The texts of a claim, which is a list or a single text."""
    listed = [value] if isinstance(value, str) else value
    return [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []


def profile_updates(
    directory: LdapDirectory, subdomain: str, known: Sequence[Identity]
) -> list[ProfileUpdate]:
    """Read the current entries of all accounts of a directory. Raises LdapError."""
    from tertulia.external.sso import ldap

    people = ldap.find_all(directory, [identity.subject for identity in known])
    found = []
    for identity in known:
        person = people.get(identity.subject)
        profile = None if person is None else from_directory(directory, subdomain, person, identity)
        found.append(ProfileUpdate(identity, profile))
    return found


def _picture(directory: LdapDirectory, person: LdapPerson) -> Avatar | None:
    try:
        return domain.files.images.avatar(person.picture)
    except BadImage:
        log.warning("ldap.picture_unusable", directory=directory.key, dn=person.dn)
        return None


def full_name(claimed: str, email: str) -> str:
    """A valid name: characters that are not allowed are removed."""
    kept = re.sub('[*`\\\\>"@]', " ", domain.names.cleaned(claimed))
    name = domain.names.cleaned(" ".join(kept.split()), domain.limits.MAX_FULL_NAME_LENGTH)
    return name or email.partition("@")[0]


def is_admitted(provider: InformedProvider, groups: Sequence[str]) -> bool:
    wanted = {name.casefold() for name in provider.only_groups}
    return not wanted or any(name.casefold() in wanted for name in groups)


def _directory_refusal(directory: LdapDirectory, subdomain: str, person: LdapPerson) -> str:
    """Why the user of an entry may not log in; empty if they may."""
    if not person.has_required:
        return "the entry lacks the values of required_attributes"
    organizations = person.organizations
    if organizations is not None and subdomain not in organizations:
        name = directory.organization_attribute
        return _organization_refusal(name, subdomain, organizations)
    return _groups_refusal(directory, person.groups)


def _organization_refusal(attribute: str, subdomain: str, listed: Sequence[str]) -> str:
    return f"{attribute} does not list {subdomain or 'the empty subdomain'}: {_name_list(listed)}"


def _groups_refusal(provider: InformedProvider, groups: Sequence[str]) -> str:
    if is_admitted(provider, groups):
        return ""
    return (
        f"in none of only_groups ({_name_list(provider.only_groups)}); groups: {_name_list(groups)}"
    )


def _name_list(names: Iterable[str]) -> str:
    """Names for a log line, as many as fit."""
    text = ", ".join(sorted(names)) or "none"
    return "".join(filter(str.isprintable, text))[:MAX_LISTED_LENGTH]


def role(provider: InformedProvider, groups: Sequence[str]) -> Role | None:
    """The highest role that one of the groups gives; None if the provider manages no roles."""
    if not provider.roles:
        return None
    theirs = {name.casefold() for name in groups}
    for word, names in provider.roles:  # highest first
        if any(name.casefold() in theirs for name in names):
            return ROLES[word]
    return Role.MEMBER


def managed_roles(provider: InformedProvider) -> frozenset[Role]:
    """The roles that the provider assigns and removes."""
    return frozenset(ROLES[word] for word, _ in provider.roles)


def groups(provider: InformedProvider, theirs: Sequence[str]) -> tuple[str, ...] | None:
    if not provider.groups:
        return None
    if ALL_GROUPS in provider.groups:
        return tuple(theirs)
    brought = {name.casefold() for name in provider.groups}
    return tuple(name for name in theirs if name.casefold() in brought)


def profile_values(provider: InformedProvider, claims: Mapping[str, str]) -> dict[str, str]:
    """Values for the mapped profile fields; empty where the provider has no value."""
    return {field: claims.get(name, "") for field, name in provider.profile_fields}
