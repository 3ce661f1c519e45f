"""Directories: people who log in with the name and password that LDAP knows them by."""

import secrets

from tertulia import actions, api, domain, external, storage
from tertulia.actions.people.login import VerifiedIdentity
from tertulia.api.call import Call
from tertulia.config.login_providers import LdapDirectory
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import (
    AccountOfAnother,
    DirectoryUnreachable,
    NoAccountYet,
    NotAdmitted,
)
from tertulia.errors.http import RateLimited
from tertulia.external.sso.provider_types import NOBODY, DirectoryTrouble, LdapName, LdapPerson
from tertulia.http.ratelimit import address_bucket
from tertulia.log import log

LDAP = "LDAP"  # the method's name among the organization's `authentication_methods`


def open_to(call: Call) -> list[LdapDirectory]:
    """Those whose people may come in here."""
    realm = call.org.realm
    return [
        each for each in call.config.ldap if each.is_for(realm.subdomain) and realm.admits(LDAP)
    ]


async def identify(
    call: Call, typed: str, password: str, link: str = ""
) -> VerifiedIdentity | None:
    """Whose name and password these are, in one of the directories; None if in none of them.

    Raises DirectoryUnreachable if one of them could not be asked and none of the others knows.
    """
    is_in_trouble = False
    for directory in open_to(call):
        try:
            person = await _authenticate(call, directory, typed, password)
        except DirectoryTrouble as trouble:
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
        introduced = await external.sso.ldap.asked(
            call.request.person,
            external.sso.claims.from_directory,
            directory,
            call.org.realm.subdomain,
            person,
            known,
        )
        try:
            user_id = await api.people.sso_signup.recognize(call, introduced, link)
        except ClientError as refusal:
            api.people.sso_providers.log_refusal(introduced, refusal, dn=person.dn)
            if isinstance(refusal, (AccountOfAnother, NotAdmitted, NoAccountYet, BadRequest)):
                return None
            raise
        return VerifiedIdentity(LDAP, user_id, call.request.client_address)
    if is_in_trouble:
        raise DirectoryUnreachable()
    return None


async def _authenticate(
    call: Call, directory: LdapDirectory, typed: str, password: str
) -> LdapPerson | None:
    """Who it is. Whose password was tried too often, by whichever of their names, is nobody for a
    while: if that were told, it would show that they are there. Raises DirectoryTrouble."""
    if not password:
        return None
    name = await external.sso.ldap.asked(
        call.request.person, external.sso.ldap.named, directory, typed
    )
    counted = actions.people.password_attempts.entry_hash(
        call.vault, directory.key, name.subject or secrets.token_hex(8)
    )
    address = address_bucket(call.request.client_address)
    is_known = name is not NOBODY
    try:
        await call.system_db.write(actions.people.password_attempts.count, counted, address)
    except RateLimited:
        name = NOBODY
    person = await external.sso.ldap.asked(
        call.request.person, external.sso.ldap.authenticate, directory, name, password
    )
    if person is None:
        fault = _password_fault(name, is_known)
        log.info("ldap.password_refused", directory=directory.key, **fault)
    else:
        await call.system_db.write(actions.people.password_attempts.clear, counted, address)
    return person


def _password_fault(name: LdapName, is_known: bool) -> dict[str, str]:
    """What was typed is not said: it may be a password."""
    if name.dn:
        return {"dn": name.dn, "reason": "the directory refuses the password"}
    if is_known:
        return {"reason": "tried too often"}
    return {"reason": "no entry fits what was typed, or several do"}


async def manages(call: Call, user_id: int) -> bool:
    """Whether somebody's password is that of a directory, so that none is kept here."""
    keys = {directory.key for directory in open_to(call)}
    return bool(keys) and bool(
        keys & await call.db.read(storage.people.identities.providers_of, user_id)
    )


async def check_own_password(call: Call, user_id: int) -> None:
    """Raises BadRequest for somebody whose password is a directory's."""
    if await manages(call, user_id):
        raise BadRequest("Your Zulip password is managed in LDAP")
