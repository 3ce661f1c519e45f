"""The pages for coming in and leaving: a form, and what becomes of it. No script is needed."""

from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api
from tertulia.actions.people.arriving import EMAIL, ProvenIdentity
from tertulia.api.call import Call
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    MethodDisabled,
    PasswordLoginDisabled,
)
from tertulia.errors.http import NotFound, RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.web import door, rendering, words
from tertulia.web.door import DoorPages

HOME = "/"
LOGIN_PATHS = ("/login/", "/accounts/login/")
LOGOUT_PATHS = ("/logout/", "/accounts/logout/")
NEWS = ("logged_out", "password_changed", "address_changed")  # what the address may ask us to say

REFUSALS = (
    LoginFailed,
    InvalidEmail,
    LoginDeactivated,
    LoginOrganizationDeactivated,
    PasswordLoginDisabled,
    MethodDisabled,
    RateLimited,
)


class LoginPages:
    """`guest` is the address of the one whom strangers may look around as; for demos."""

    def __init__(self, entrance: DoorPages, guest: str | None = None) -> None:
        self._door = entrance
        self._guest = guest

    def routes(self) -> list[Route]:
        route = self._door.route
        return [
            *(route(path, self._look, self._log_in) for path in LOGIN_PATHS),
            *(route(path, None, self._log_out) for path in LOGOUT_PATHS),
            route("/accounts/go/", self._go_to_organization, None),
            route("/demo/", None, self._look_around),
        ]

    # --- coming in ---

    async def _look(self, call: Call) -> Response:
        if call.found_org is None:
            return await self._which(call)
        if call.caller is not None:
            return door.see(_next(call))
        return await self._form(call)

    async def _log_in(self, call: Call) -> Response:
        username = call.request.params.get("username", "").strip()
        password = call.request.params.get("password", "")
        try:
            async with api.recording.login(call, username):
                who = await api.people.login.identify(call, username, password)
                return await let_in(call, who)
        except REFUSALS as error:
            return await self._form(call, error, username)

    async def _look_around(self, call: Call) -> Response:
        """Come in as the one whom a demo has for that."""
        guest = None if self._guest is None else call.org.user_with_email(self._guest)
        if guest is None:
            raise NotFound()
        return await let_in(call, ProvenIdentity(EMAIL, guest.id))

    async def _form(
        self, call: Call, error: ClientError | None = None, username: str = ""
    ) -> Response:
        realm, params, say = call.org.realm, call.request.params, words.of(call.request)
        if error is None and realm.deactivated:
            error = LoginOrganizationDeactivated()
        return await door.page(
            call,
            "login.html",
            error=error,
            news=next((say[each] for each in NEWS if each in params), ""),
            username=username or params.get("email", "")[:300],
            next=_next(call) if "next" in params else "",
            admits_passwords=not realm.deactivated
            and (realm.admits_passwords or bool(api.people.directories.open_to(call))),
            has_own_passwords=realm.admits_passwords,
            may_sign_up=call.config.sends_mail and not realm.setting("invite_required"),
            names_are_addresses=api.organization.server.names_are_addresses(call),
            methods=api.organization.server.external_methods(call),
            is_demo=self._guest is not None and call.org.user_with_email(self._guest) is not None,
            has_others=len(call.delivery.organizations) > 1,
            others=_root(call) + "/accounts/go/",
        )

    # --- which organization ---

    async def _which(self, call: Call, problem: str = "", subdomain: str = "") -> Response:
        if not call.delivery.organizations or not api.call.is_root(call):
            raise NotFound()
        return await rendering.page(
            call.request,
            "which.html",
            name="",
            problem=problem,
            news="",
            subdomain=subdomain,
            ending=urlsplit(_root(call)).netloc,
        )

    async def _go_to_organization(self, call: Call) -> Response:
        """Lead to the log-in page of an organization, by its subdomain."""
        subdomain = call.request.params.get("subdomain", "").strip().lower()
        if not subdomain:
            return await self._which(call)
        for org in call.delivery.organizations.values():
            if org.realm.subdomain == subdomain and not org.realm.deactivated:
                scheme, _, host = _root(call).partition("://")
                return door.see(f"{scheme}://{subdomain}.{host}/login/")
        problem = words.of(call.request)["no_such_organization"]
        return await self._which(call, problem, subdomain[:40])

    # --- leaving ---

    async def _log_out(self, call: Call) -> Response:
        await api.browsers.log_out(call)
        cookie = api.browsers.drop_cookie(call.config, call.request)
        return door.see("/login/?logged_out", cookie)


async def let_in(call: Call, who: ProvenIdentity, where: str | None = None) -> Response:
    """Somebody has shown who they are: begin a session, and lead them to where they wanted."""
    token, entrance = api.browsers.entrance(call)
    await call.db.write(actions.people.arriving.arrive, who, entrance)
    cookie = api.browsers.keep_cookie(call.config, call.request, token)
    return door.see(where or _next(call), cookie)


def _next(call: Call) -> str:
    """Where somebody wanted to go, if that is a page of ours; else home."""
    wanted = call.request.params.get("next", "")
    return wanted if is_our_path(wanted) else HOME


def is_our_path(wanted: str) -> bool:
    """Whether an address leads nowhere but to us, however a browser may read it."""
    return (
        wanted.startswith("/")
        and not wanted.startswith(("//", "/\\"))
        and len(wanted) <= 2000
        and wanted.isprintable()
        and "\\" not in wanted
        and urlsplit(wanted).netloc == ""
    )


def _root(call: Call) -> str:
    """The address that organizations are subdomains of."""
    site = api.call.site(call.config, call.request, None)
    org = call.found_org
    if call.config.external_url or org is None or not org.realm.subdomain:
        return site
    scheme, _, host = site.partition("://")
    return f"{scheme}://{host.removeprefix(f'{org.realm.subdomain}.')}"
