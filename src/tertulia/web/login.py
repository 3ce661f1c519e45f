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
    PasswordExpired,
    PasswordLoginDisabled,
)
from tertulia.errors.http import NotFound, RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.web import (
    account_pages,
    first_run,
    login_completion,
    page_texts,
    rendering,
    saml,
    second_factor_step,
    security_headers,
)
from tertulia.web.account_pages import AccountPages
from tertulia.web.first_run import FirstRunPages

LOGIN_PATHS = ("/login/", "/accounts/login/")
LOGOUT_PATHS = ("/logout/", "/accounts/logout/")
NOTICES = {  # messages that a query parameter may select
    "logged_out": "login.logged-out",
    "password_changed": "login.password-changed",
    "address_changed": "login.address-changed",
}

FORM_ERRORS = (
    LoginFailed,
    InvalidEmail,
    LoginDeactivated,
    LoginOrganizationDeactivated,
    PasswordExpired,
    PasswordLoginDisabled,
    MethodDisabled,
    RateLimited,
)


class LoginPages:
    """`guest` is the email of the account that visitors of a demo may use."""

    def __init__(
        self, pages: AccountPages, first_run: FirstRunPages, guest: str | None = None
    ) -> None:
        self._pages = pages
        self._first_run = first_run
        self._guest = guest

    def routes(self) -> list[Route]:
        route = self._pages.route
        return [
            *(route(path, self._show, self._log_in) for path in LOGIN_PATHS),
            *(route(path, None, self._log_out) for path in LOGOUT_PATHS),
            route("/accounts/go/", self._go_to_organization, None),
            route("/demo/", None, self._log_in_as_guest),
        ]

    # --- login ---

    async def _show(self, call: Call) -> Response:
        if call.found_org is None:
            return await self._choose_organization(call)
        target = login_completion.requested_target(call)
        if call.caller is not None and not target.is_in_app:
            return account_pages.redirect(target.next)
        if await self._first_run.is_needed() and not first_run.has_other_logins(call):
            return first_run.redirect()
        return await self._form(call)

    async def _log_in(self, call: Call) -> Response:
        username = call.request.params.get("username", "").strip()
        password = call.request.params.get("password", "")
        try:
            async with api.audit.login(call, username):
                target = login_completion.requested_target(call)
                who = await api.people.login.identify(call, username, password, target.link)
                return await second_factor_step.complete_or_ask(call, who, target)
        except FORM_ERRORS as error:
            return await self._form(call, error, username)

    async def _log_in_as_guest(self, call: Call) -> Response:
        """Log in as the guest account of a demo."""
        guest = None if self._guest is None else call.org.accounts.with_email(self._guest)
        if guest is None:
            raise NotFound()
        who = VerifiedIdentity(EMAIL, guest.id, is_complete=True)
        return await login_completion.start_session(call, who, login_completion.HOME)

    async def _form(
        self, call: Call, error: ClientError | None = None, username: str = ""
    ) -> Response:
        realm, params, t = call.org.realm, call.request.params, page_texts.of(call.request)
        target = login_completion.requested_target(call)
        along = (*login_completion.OTPS, login_completion.LINK)
        carried = {name: params[name][:100] for name in along if params.get(name)}
        kept = carried if "next" not in params else {"next": target.next, **carried}
        if error is None and realm.deactivated:
            error = LoginOrganizationDeactivated()
        return await account_pages.page(
            call,
            "login.html",
            error=error,
            notice=next((t(key) for name, key in NOTICES.items() if name in params), ""),
            username=username or params.get("email", "")[:300],
            next=target.next if "next" in params else "",
            carried=carried,
            query=f"?{urlencode(kept, safe='/')}" if kept else "",
            headers=security_headers.of_page(form_targets=login_completion.form_targets(target)),
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

    async def _choose_organization(
        self, call: Call, problem: str = "", subdomain: str = ""
    ) -> Response:
        if not call.delivery.organizations.first or not api.call.is_root(call):
            raise NotFound()
        return await rendering.page(
            call.request,
            "choose_organization.html",
            name="",
            problem=problem,
            notice="",
            subdomain=subdomain,
            domain=urlsplit(account_pages.root(call)).netloc,
        )

    async def _go_to_organization(self, call: Call) -> Response:
        """Redirect to the login page of an organization, by its subdomain."""
        subdomain = call.request.params.get("subdomain", "").strip().lower()
        if not subdomain:
            return await self._choose_organization(call)
        org = await call.delivery.follower.finder.find_by_subdomain(subdomain)
        if org is not None and not org.realm.deactivated:
            return account_pages.redirect(f"{account_pages.site_of(call, org.realm)}/login/")
        problem = page_texts.of(call.request)("login.no-such-organization")
        return await self._choose_organization(call, problem, subdomain[:40])

    # --- logout ---

    async def _log_out(self, call: Call) -> Response:
        provider_session = await api.browser_sessions.log_out(call)
        cookie = api.browser_sessions.drop_cookie(call.config, call.request)
        if provider_session is not None:
            return await saml.log_out_of_provider(call, provider_session, cookie)
        following = login_completion.next_path(call)
        query = "" if following == login_completion.HOME else f"&{urlencode({'next': following})}"
        return account_pages.redirect(f"{saml.LOGGED_OUT}{query}", cookie)
