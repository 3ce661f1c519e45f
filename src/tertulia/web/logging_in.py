"""The pages for coming in and leaving: a form, and what becomes of it. No script is needed."""

import math
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tertulia import actions, api
from tertulia.actions.people.arriving import EMAIL, ProvenIdentity
from tertulia.api.admission import Admission
from tertulia.api.call import Call
from tertulia.errors import ClientError
from tertulia.errors.authentication import (
    CrossSiteRequest,
    LoginDeactivated,
    LoginFailed,
    LoginOrganizationDeactivated,
    MethodDisabled,
    PasswordLoginDisabled,
)
from tertulia.errors.http import NotFound, RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.http.request import ApiRequest
from tertulia.web import rendering, words

FORM_BYTES = 1 << 14
HOME = "/"

Endpoint = Callable[[Call], Awaitable[Response]]

# In which words it is said why somebody cannot come in.
PROBLEMS: dict[type[ClientError], str] = {
    LoginFailed: "wrong_password",
    InvalidEmail: "invalid_email",
    LoginDeactivated: "account_ended",
    LoginOrganizationDeactivated: "organization_ended",
    PasswordLoginDisabled: "no_passwords",
    MethodDisabled: "method_disabled",
}


class Doors:
    """`guest` is the address of the one whom strangers may look around as; for demos."""

    def __init__(self, gate: Admission, guest: str | None = None) -> None:
        self._gate = gate
        self._guest = guest

    def routes(self) -> list[Route]:
        return [
            *(self._route(path, self._look, self._log_in) for path in LOGIN_PATHS),
            *(self._route(path, None, self._log_out) for path in LOGOUT_PATHS),
            self._route("/accounts/go/", self._go_to_organization, None),
            self._route("/demo/", None, self._look_around),
        ]

    def _route(self, path: str, get: Endpoint | None, post: Endpoint | None) -> Route:
        """A page that is shown, one that takes a form, or both; what goes wrong is told here."""
        doing = {"GET": get, "HEAD": get, "POST": post}

        async def answer(request: Request) -> Response:
            asked = ApiRequest(request.scope, request.receive)
            endpoint = doing[asked.sent_method]
            assert endpoint is not None
            try:
                await asked.read_early(FORM_BYTES)
                asked.refuse_larger(FORM_BYTES)
                await asked.read_rest(FORM_BYTES)
                return await endpoint(await self._gate.visit(asked))
            except ClientError as error:
                return await _refusal(asked, error)

        methods = [method for method, endpoint in doing.items() if endpoint is not None]
        return Route(path, answer, methods=methods)

    # --- coming in ---

    async def _look(self, call: Call) -> Response:
        if call.found_org is None:
            return await self._which(call)
        if call.caller is not None:
            return _see(_next(call))
        return await self._form(call)

    async def _log_in(self, call: Call) -> Response:
        username = call.request.params.get("username", "").strip()
        try:
            async with api.recording.login(call, username):
                who = await api.people.login.identify(
                    call, username, call.request.params.get("password", "")
                )
                return await self._let_in(call, who)
        except RateLimited as error:
            minutes = math.ceil(error.values["retry_after"] / 60)
            problem = _say(call)["too_often"].format(minutes)
            return await self._form(call, problem, username, error)
        except tuple(PROBLEMS) as error:
            return await self._form(call, _say(call)[PROBLEMS[type(error)]], username, error)

    async def _look_around(self, call: Call) -> Response:
        """Come in as the one whom a demo has for that."""
        guest = None if self._guest is None else call.org.user_with_email(self._guest)
        if guest is None:
            raise NotFound()
        return await self._let_in(call, ProvenIdentity(EMAIL, guest.id))

    async def _let_in(self, call: Call, who: ProvenIdentity) -> Response:
        token, entrance = api.browsers.entrance(call)
        await call.db.write(actions.people.arriving.arrive, who, entrance)
        cookie = api.browsers.keep_cookie(call.config, call.request, token)
        return _see(_next(call), cookie)

    async def _form(
        self, call: Call, problem: str = "", username: str = "", error: ClientError | None = None
    ) -> Response:
        realm = call.org.realm
        return await rendering.page(
            call.request,
            "login.html",
            status=200 if error is None else error.status,
            headers=None if error is None else error.reply_headers(),
            name=realm.name,
            problem=problem or ("" if not realm.deactivated else _say(call)["organization_ended"]),
            news=_say(call)["logged_out"] if "logged_out" in call.request.params else "",
            username=username or call.request.params.get("email", "")[:300],
            next=_next(call) if "next" in call.request.params else "",
            admits_passwords=not realm.deactivated
            and (realm.admits_passwords or bool(api.people.directories.open_to(call))),
            names_are_addresses=api.organization.server.names_are_addresses(call),
            methods=api.organization.server.external_methods(call),
            forgotten=False,
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
                return _see(f"{scheme}://{subdomain}.{host}/login/")
        return await self._which(call, _say(call)["no_such_organization"], subdomain[:40])

    # --- leaving ---

    async def _log_out(self, call: Call) -> Response:
        await api.browsers.log_out(call)
        cookie = api.browsers.drop_cookie(call.config, call.request)
        return _see("/login/?logged_out", cookie)


LOGIN_PATHS = ("/login/", "/accounts/login/")
LOGOUT_PATHS = ("/logout/", "/accounts/logout/")


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


def _see(where: str, cookie: str | None = None) -> Response:
    headers = {"Cache-Control": "no-store"}
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    return RedirectResponse(where, 303, headers)


def _root(call: Call) -> str:
    """The address that organizations are subdomains of."""
    site = api.call.site(call.config, call.request, None)
    org = call.found_org
    if call.config.external_url or org is None or not org.realm.subdomain:
        return site
    scheme, _, host = site.partition("://")
    return f"{scheme}://{host.removeprefix(f'{org.realm.subdomain}.')}"


def _say(call: Call) -> dict[str, str]:
    return words.LANGUAGES[words.language(call.request.header("accept-language"))]


async def _refusal(request: ApiRequest, error: ClientError) -> Response:
    say = words.LANGUAGES[words.language(request.header("accept-language"))]
    heading, explained, back = say["went_wrong"], error.msg, "/login/"
    if isinstance(error, CrossSiteRequest):
        heading, explained = say["not_from_here"], say["not_from_here_explained"]
    elif error.status == 404:
        heading, explained, back = say["nobody_here"], say["nobody_here_explained"], ""
    elif isinstance(error, RateLimited):
        explained = say["too_often"].format(math.ceil(error.values["retry_after"] / 60))
    values: dict[str, Any] = {"heading": heading, "explained": explained, "back": back}
    return await rendering.page(
        request,
        "refusal.html",
        status=error.status,
        headers=error.reply_headers(),
        name="",
        problem="",
        news="",
        **values,
    )
