"""Shared code of the account pages (login, passwords, signup): routes, forms, error pages."""

import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from tertulia import api
from tertulia.api.authentication import Authenticator
from tertulia.api.call import Call
from tertulia.domain.organization.realm import Realm
from tertulia.errors import ClientError
from tertulia.errors.authentication import CrossSiteRequest, LinkInvalid
from tertulia.errors.http import RateLimited
from tertulia.http.memory_quota import MemoryQuota
from tertulia.http.request import ApiRequest
from tertulia.web import page_texts, rendering

FORM_BYTES = 1 << 14

Endpoint = Callable[..., Awaitable[Response]]  # takes the call and the path parameters


class AccountPages:
    def __init__(self, auth: Authenticator) -> None:
        self._auth = auth
        self._memory = MemoryQuota()

    def route(
        self,
        path: str,
        get: Endpoint | None,
        post: Endpoint | None,
        *,
        from_anywhere: bool = False,
        max_bytes: int = FORM_BYTES,
    ) -> Route:
        """Route of a page, of a form, or of both. Errors become pages.

        With `from_anywhere` the route accepts forms from other sites; the endpoint must check them
        itself.
        """
        endpoints = {"GET": get, "HEAD": get, "POST": post}

        async def answer(request: Request) -> Response:
            api_request = ApiRequest(request.scope, request.receive)
            endpoint = endpoints[api_request.sent_method]
            assert endpoint is not None
            try:
                with self._reserve_memory(api_request, max_bytes):
                    await api_request.read_early(max_bytes)
                    api_request.check_size(max_bytes)
                    await api_request.read_rest(max_bytes)
                    call = await self._auth.anonymous_page(api_request, from_anywhere)
                    return await endpoint(call, **request.path_params)
            except ClientError as error:
                return await _error_page(api_request, error)

        methods = [method for method, endpoint in endpoints.items() if endpoint is not None]
        return Route(path, answer, methods=methods)

    def _reserve_memory(
        self, api_request: ApiRequest, max_bytes: int
    ) -> AbstractContextManager[None]:
        """Before reading a large body, check the caller's rate limit and memory quota."""
        if api_request.is_small:
            return nullcontext()
        self._auth.precheck_anonymous(api_request)
        return self._memory.reserve(api_request.person, max_bytes)


def script(name: str) -> Route:
    """Serve a script of an account page."""
    file = Path(__file__).parent / "static" / name

    async def answer(request: Request) -> Response:
        return FileResponse(file, media_type="text/javascript; charset=utf-8")

    return Route(f"/static/{name}", answer)


async def page(
    call: Call,
    template: str,
    *,
    error: ClientError | None = None,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    """Render a page of the organization, with the error above the form if there is one."""
    given = {"name": call.org.realm.name, "notice": "", **values}
    return await rendering.page(
        call.request,
        template,
        status=200 if error is None else error.status,
        headers={**(headers or {}), **({} if error is None else error.reply_headers())},
        problem="" if error is None else describe(call.request, error),
        **given,
    )


async def message(call: Call, heading: str, explained: str) -> Response:
    """Render a page with a heading and a text of `page_texts`."""
    t = page_texts.of(call.request)
    return await page(
        call, "message.html", heading=t(heading), explained=t(explained), back="/login/"
    )


def redirect(location: str, cookie: str | None = None) -> Response:
    """Redirect to another page."""
    headers = {"Cache-Control": "no-store"}
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    return RedirectResponse(location, 303, headers)


def root(call: Call) -> str:
    """The base URL; organizations are at its subdomains."""
    site = api.call.site(call.config, call.request, None)
    org = call.found_org
    if call.config.external_url or org is None or not org.realm.subdomain:
        return site
    scheme, _, host = site.partition("://")
    return f"{scheme}://{host.removeprefix(f'{org.realm.subdomain}.')}"


def site_of(call: Call, realm: Realm) -> str:
    """The URL of an organization."""
    if call.found_org is not None and call.found_org.realm.id == realm.id:
        return call.site
    scheme, _, host = root(call).partition("://")
    prefix = f"{realm.subdomain}." if realm.subdomain else ""
    return f"{scheme}://{prefix}{host}"


def describe(request: ApiRequest, error: ClientError) -> str:
    """The text of an error, translated if there is a translation."""
    if isinstance(error, RateLimited):
        t = page_texts.of(request)
        minutes = math.ceil(error.values["retry_after"] / 60)
        return t("login.rate-limited", count=minutes)
    return page_texts.describe(request, error)


async def _error_page(request: ApiRequest, error: ClientError) -> Response:
    t = page_texts.of(request)
    heading, explained, back = t("login.error-heading"), describe(request, error), "/login/"
    if isinstance(error, CrossSiteRequest):
        heading, explained = t("login.cross-site-request"), t("login.cross-site-request-explained")
    elif isinstance(error, LinkInvalid):
        heading = t("login.link-invalid")
    elif error.status == 404:
        heading, explained, back = (
            t("login.organization-not-found"),
            t("login.organization-not-found-explained"),
            "",
        )
    return await rendering.page(
        request,
        "message.html",
        status=error.status,
        headers=error.reply_headers(),
        name="",
        problem="",
        notice="",
        heading=heading,
        explained=explained,
        back=back,
    )
