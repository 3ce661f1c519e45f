"""The login and logout pages. They need no script."""

from urllib.parse import urlencode, urlsplit

from starlette.responses import Response
from starlette.routing import Route

from tertulia import api
from tertulia.actions.people.login import EMAIL, VerifiedIdentity
from tertulia.api.call import Call
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    MethodDisabled,
    PasswordEnded,
    PasswordLoginDisabled,
)
from tertulia.errors.http import NotFound, RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.web import (
    account_pages,
    first_run,
    login_completion,
    rendering,
    saml,
    second_factor_step,
    security_headers,
    translations,
)
from tertulia.web.account_pages import AccountPages
from tertulia.web.first_run import FirstRunPages

LOGIN_PATHS = ("/login/", "/accounts/login/")
LOGOUT_PATHS = ("/logout/", "/accounts/logout/")
NEWS = (
    "logged_out",
    "password_changed",
    "address_changed",
)  # messages that a query parameter may select

REFUSALS = (
    LoginFailed,
    InvalidEmail,
    LoginDeactivated,
    LoginOrganizationDeactivated,
    PasswordEnded,
    PasswordLoginDisabled,
    MethodDisabled,
    RateLimited,
)


class LoginPages:
    """`guest` is the email of the account that visitors of a demo may use."""

    def __init__(
        self, entrance: AccountPages, first_run: FirstRunPages, guest: str | None = None
    ) -> None:
        self._entry_page = entrance
        self._first_run = first_run
        self._guest = guest

    def routes(self) -> list[Route]:
        route = self._entry_page.route
        return [
            *(route(path, self._show, self._log_in) for path in LOGIN_PATHS),
            *(route(path, None, self._log_out) for path in LOGOUT_PATHS),
            route("/accounts/go/", self._go_to_organization, None),
            route("/demo/", None, self._open_public_page),
        ]

    # --- login ---

    async def _show(self, call: Call) -> Response:
        if call.found_org is None:
            return await self._which(call)
        ending = login_completion.asked_for(call)
        if call.caller is not None and not ending.is_in_app:
            return account_pages.see(ending.next)
        if await self._first_run.is_needed() and not first_run.has_other_logins(call):
            return first_run.redirect()
        return await self._form(call)

    async def _log_in(self, call: Call) -> Response:
        username = call.request.params.get("username", "").strip()
        password = call.request.params.get("password", "")
        try:
            async with api.audit.login(call, username):
                ending = login_completion.asked_for(call)
                who = await api.people.login.identify(call, username, password, ending.link)
                return await second_factor_step.go_on(call, who, ending)
        except REFUSALS as error:
            return await self._form(call, error, username)

    async def _open_public_page(self, call: Call) -> Response:
        """Log in as the guest account of a demo."""
        guest = None if self._guest is None else call.org.accounts.with_email(self._guest)
        if guest is None:
            raise NotFound()
        who = VerifiedIdentity(EMAIL, guest.id, is_complete=True)
        return await login_completion.start_session(call, who, login_completion.HOME)

    async def _form(
        self, call: Call, error: ClientError | None = None, username: str = ""
    ) -> Response:
        realm, params, say = call.org.realm, call.request.params, translations.of(call.request)
        ending = login_completion.asked_for(call)
        along = (*login_completion.OTPS, login_completion.LINK)
        carried = {name: params[name][:100] for name in along if params.get(name)}
        kept = carried if "next" not in params else {"next": ending.next, **carried}
        if error is None and realm.deactivated:
            error = LoginOrganizationDeactivated()
        return await account_pages.page(
            call,
            "login.html",
            error=error,
            news=next((say[each] for each in NEWS if each in params), ""),
            username=username or params.get("email", "")[:300],
            next=ending.next if "next" in params else "",
            carried=carried,
            query=f"?{urlencode(kept, safe='/')}" if kept else "",
            headers=security_headers.of_page(form_targets=login_completion.form_targets(ending)),
            admits_passwords=not realm.deactivated
            and (realm.admits_passwords or bool(api.people.ldap_login.open_to(call))),
            has_own_passwords=realm.admits_passwords,
            may_sign_up=call.config.sends_mail and not realm.setting("invite_required"),
            names_are_addresses=api.organization.server.names_are_addresses(call),
            methods=api.organization.server.external_methods(call),
            is_demo=self._guest is not None
            and call.org.accounts.with_email(self._guest) is not None,
            has_peers=call.delivery.organizations.single is None,
            others=account_pages.root(call) + "/accounts/go/",
        )

    # --- which organization ---

    async def _which(self, call: Call, problem: str = "", subdomain: str = "") -> Response:
        if not call.delivery.organizations.first or not api.call.is_root(call):
            raise NotFound()
        return await rendering.page(
            call.request,
            "which.html",
            name="",
            problem=problem,
            news="",
            subdomain=subdomain,
            ending=urlsplit(account_pages.root(call)).netloc,
        )

    async def _go_to_organization(self, call: Call) -> Response:
        """Redirect to the login page of an organization, by its subdomain."""
        subdomain = call.request.params.get("subdomain", "").strip().lower()
        if not subdomain:
            return await self._which(call)
        org = await call.delivery.follower.finder.find_by_subdomain(subdomain)
        if org is not None and not org.realm.deactivated:
            return account_pages.see(f"{account_pages.site_of(call, org.realm)}/login/")
        problem = translations.of(call.request)["no_such_organization"]
        return await self._which(call, problem, subdomain[:40])

    # --- logout ---

    async def _log_out(self, call: Call) -> Response:
        elsewhere = await api.cookies.log_out(call)
        cookie = api.cookies.drop_cookie(call.config, call.request)
        if elsewhere is not None:
            return await saml.log_out_there(call, elsewhere, cookie)
        return account_pages.see(saml.LOGGED_OUT, cookie)
