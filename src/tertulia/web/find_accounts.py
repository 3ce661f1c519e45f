"""The page that sends a mail with the organizations in which an address has an account."""

from starlette.responses import Response
from starlette.routing import Route

from tertulia import actions, api, domain, storage
from tertulia.api.call import Call
from tertulia.errors import ClientError
from tertulia.errors.http import NotFound, RateLimited
from tertulia.errors.people import InvalidEmail
from tertulia.http.ratelimit import address_bucket
from tertulia.web import account_pages, page_texts, rendering
from tertulia.web.account_pages import AccountPages

PATH = "/accounts/find/"


def routes(pages: AccountPages) -> list[Route]:
    return [pages.route(PATH, _form, _send_mail)]


async def _send_mail(call: Call) -> Response:
    """Send the mail. Response and work are the same for known and unknown addresses."""
    email = call.request.params.get("email", "").strip()
    database, first = call.services.database, call.delivery.organizations.first
    if not call.config.sends_mail or not first:
        return await _form(call)
    try:
        if not domain.people.user.looks_like_email(email):
            raise InvalidEmail()
        found = await database.of(0).query(storage.organization.realms.with_address, email)
        await database.of(first[0]).write(
            actions.people.find_accounts.request,
            call.vault,
            email,
            address_bucket(call.request.client_address),
            {realm.id: account_pages.site_of(call, realm) for realm in found},
        )
    except (InvalidEmail, RateLimited) as error:
        return await _form(call, error, email)
    return await _form(call, is_sent=True)


async def _form(
    call: Call, error: ClientError | None = None, email: str = "", is_sent: bool = False
) -> Response:
    if call.found_org is None and not api.call.is_root(call):
        raise NotFound()
    return await rendering.page(
        call.request,
        "find_accounts.html",
        status=200 if error is None else error.status,
        headers=None if error is None else error.reply_headers(),
        name="",
        notice=page_texts.of(call.request)("login.find-mail-sent") if is_sent else "",
        problem="" if error is None else account_pages.describe(call.request, error),
        email=email[:300],
        sends_mail=call.config.sends_mail,
        is_sent=is_sent,
    )
