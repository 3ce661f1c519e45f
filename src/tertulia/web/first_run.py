"""The first-run page: a server without an owner asks for its organization and the first owner.

Pages redirect to it only while there are no accounts, so that existing users can log in.

Only the operator knows the setup code that the form asks for. The page needs no script.
"""

import msgspec
from starlette.responses import Response
from starlette.routing import Route

from tertulia import api, domain, features, storage
from tertulia.actions.people.login import EMAIL, VerifiedIdentity
from tertulia.actions.people.signup import NewAccount
from tertulia.api.call import Call, Services
from tertulia.domain.organization.settings import SETTINGS
from tertulia.domain.people.user import Role
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import PasswordLoginDisabled, WrongSetupCode
from tertulia.errors.http import RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.features.first_run import PATH, FirstRun
from tertulia.http.ratelimit import address_bucket
from tertulia.log import log
from tertulia.web import account_pages, login_completion
from tertulia.web.account_pages import AccountPages

FORM_ERRORS = (BadRequest, InvalidEmail, WrongSetupCode, PasswordLoginDisabled, RateLimited)


class FirstRunPages:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._has_accounts = False
        self._has_owner = False

    def routes(self, pages: AccountPages) -> list[Route]:
        return [pages.route(PATH, self._show, self._create)]

    async def is_needed(self) -> bool:
        """Whether the server has no accounts. Once it has some, no query is made."""
        if not self._has_accounts:
            has_people = storage.data_check.has_people
            self._has_accounts = await self._services.database.of(0).query(has_people)
        return not self._has_accounts

    async def _is_open(self) -> bool:
        if not self._has_owner:
            has_owner = storage.data_check.has_owner
            self._has_owner = await self._services.database.of(0).query(has_owner)
        return not self._has_owner

    async def _show(self, call: Call) -> Response:
        if not await self._is_open():
            return account_pages.redirect(login_completion.HOME)
        return await _form(call)

    async def _create(self, call: Call) -> Response:
        address = address_bucket(call.request.client_address)
        try:
            owner_form = await _owner_from_form(call)
            await call.system_db.write(features.first_run.count_attempt, call.vault, address)
            owner = await call.db.write(features.first_run.create_owner, call.vault, owner_form)
        except FORM_ERRORS as error:
            if isinstance(error, WrongSetupCode | RateLimited):
                log.warning("auth.setup_code_refused", address=call.request.client_address)
            return await _form(call, error)
        log.info("auth.first_owner_created", user_id=owner.id)
        who = VerifiedIdentity(EMAIL, owner.id)
        return await login_completion.start_session(call, who, login_completion.HOME)


def redirect() -> Response:
    return account_pages.redirect(PATH)


def has_other_logins(call: Call) -> bool:
    """Whether people can log in with a provider or a directory, without an account here."""
    return bool(
        api.organization.server.external_methods(call) or api.people.ldap_login.open_to(call)
    )


async def _owner_from_form(call: Call) -> FirstRun:
    """Validate the form and hash the password."""
    params = call.request.params
    if not call.org.realm.admits_passwords:
        raise PasswordLoginDisabled()
    email = params.get("email", "").strip()
    if not domain.people.user.looks_like_email(email):
        raise InvalidEmail()
    full_name = domain.people.user.checked_full_name(params.get("full_name", ""))
    organization = SETTINGS["name"].checked(params.get("organization", "").strip())
    password = params.get("password", "")
    hashed = await api.people.password_hashing.chosen(call.person, password, [email, full_name])
    owner = NewAccount(full_name, hashed, Role.OWNER)
    return FirstRun(params.get("code", ""), organization, email, owner)


class _FormValues(msgspec.Struct, frozen=True):
    """What the form shows again after an error."""

    organization: str = ""
    full_name: str = ""
    email: str = ""
    code: str = ""


async def _form(call: Call, error: ClientError | None = None) -> Response:
    params = call.request.params
    typed = _FormValues(
        **{name: params.get(name, "")[:300] for name in _FormValues.__struct_fields__}
    )
    return await account_pages.page(
        call,
        "first_run.html",
        error=error,
        name="",
        typed=typed,
        is_code_wrong=isinstance(error, WrongSetupCode),
        has_other_logins=has_other_logins(call),
    )
