"""LDAP login: users log in with the name and password of their directory entry."""

import secrets

from tertulia import actions, domain, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.api.people import sso_providers, sso_signup
from tertulia.config.login_providers import LdapDirectory
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import (
    AccountLinkedElsewhere,
    AccountMissing,
    AccountNotAdmitted,
    DirectoryUnreachable,
)
from tertulia.errors.http import RateLimited
from tertulia.external.sso import claims
from tertulia.external.sso.provider_types import NO_ENTRY, LdapEntry, LdapError, LdapPerson
from tertulia.http.ratelimit import address_bucket
from tertulia.log import log

LDAP = "LDAP"  # its name in `authentication_methods`


def open_to(call: Call) -> list[LdapDirectory]:
    """The directories whose users may log in to this organization."""
    realm = call.org.realm
    return [
        each for each in call.config.ldap if each.is_for(realm.subdomain) and realm.admits(LDAP)
    ]


async def identify(
    call: Call, typed: str, password: str, link: str = ""
) -> VerifiedIdentity | None:
    """The directory entry of a name and password; None if no directory has it.

    Raises DirectoryUnreachable if a directory did not answer and no other one has the entry.
    """
    is_in_trouble = False
    for directory in open_to(call):
        try:
            person = await _authenticate(call, directory, typed, password)
        except LdapError as trouble:
            log.error("ldap.unavailable", directory=directory.key, reason=str(trouble))
            is_in_trouble = True
            continue
        if person is None:
            continue
        if not domain.people.user.looks_like_email(person.email):
            looked_for = directory.email_attribute if not directory.email_domain else "email_domain"
            log.error(
                "ldap.entry_without_email",
                directory=directory.key,
                dn=person.dn,
                attribute=looked_for or directory.username_attribute,
            )
            return None
        known = await call.db.read(storage.people.identities.find, directory.key, person.subject)
        from tertulia.external.sso import ldap

        profile = await ldap.run_in_slot(
            call.request.person,
            claims.from_directory,
            directory,
            call.org.realm.subdomain,
            person,
            known,
        )
        try:
            user_id = await sso_signup.match_or_create(call, profile, link)
        except ClientError as refusal:
            sso_providers.log_refusal(profile, refusal, dn=person.dn)
            if isinstance(
                refusal, (AccountLinkedElsewhere, AccountNotAdmitted, AccountMissing, BadRequest)
            ):
                return None
            raise
        return VerifiedIdentity(LDAP, user_id, call.request.client_address)
    if is_in_trouble:
        raise DirectoryUnreachable()
    return None


async def _authenticate(
    call: Call, directory: LdapDirectory, typed: str, password: str
) -> LdapPerson | None:
    """Authenticate against one directory. A user whose password was tried too often is not found
    for a while; saying so would reveal that the user exists. Raises LdapError."""
    if not password:
        return None
    from tertulia.external.sso import ldap

    name = await ldap.run_in_slot(call.request.person, ldap.find_entry, directory, typed)
    counted = actions.people.password_attempts.entry_hash(
        call.vault, directory.key, name.subject or secrets.token_hex(8)
    )
    address = address_bucket(call.request.client_address)
    is_known = name is not NO_ENTRY
    try:
        await call.system_db.write(actions.people.password_attempts.count, counted, address)
    except RateLimited:
        name = NO_ENTRY
    person = await ldap.run_in_slot(
        call.request.person, ldap.authenticate, directory, name, password
    )
    if person is None:
        fault = _password_fault(name, is_known)
        log.info("ldap.password_refused", directory=directory.key, **fault)
    else:
        await call.system_db.write(actions.people.password_attempts.clear, counted, address)
    return person


def _password_fault(name: LdapEntry, is_known: bool) -> dict[str, str]:
    """The reason without the typed text, which may be a password."""
    if name.dn:
        return {"dn": name.dn, "reason": "the directory refuses the password"}
    if is_known:
        return {"reason": "tried too often"}
    return {"reason": "no entry fits what was typed, or several do"}


async def manages(call: Call, user_id: int) -> bool:
    """Whether the user's password is in a directory, so that none is stored here."""
    keys = {directory.key for directory in open_to(call)}
    return bool(keys) and bool(
        keys & await call.db.read(storage.people.identities.providers_of, user_id)
    )


async def check_own_password(call: Call, user_id: int) -> None:
    """Raises BadRequest if the user's password is in a directory."""
    if await manages(call, user_id):
        raise BadRequest("Your password is managed in LDAP", problem="password-in-ldap")
