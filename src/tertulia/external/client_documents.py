"""Client ID metadata documents: a program of OAuth that is described at the URL that is its id.

The server of that URL is any server on the Internet, so the document is fetched like a linked page,
with narrower bounds and without redirects (draft-ietf-oauth-client-id-metadata-document).
"""

import re

import msgspec

from tertulia import domain
from tertulia.config import Config
from tertulia.domain.people.agents import Client
from tertulia.errors import BadRequest
from tertulia.external import safe_http
from tertulia.external.safe_http import HttpResponse, RequestFailed
from tertulia.fair_queue import FairQueue, Person

PUBLIC_CLIENT = "none"  # how public clients authenticate
MAX_SECONDS = 5.0
MAX_BYTES = 5 << 10
DEFAULT_MAX_AGE_SECONDS = 3600
MIN_MAX_AGE_SECONDS = 60  # a consent page is requested and sent within it
MAX_MAX_AGE_SECONDS = 86_400

REQUEST_HEADERS = {
    "User-Agent": "Tertulia",
    "Accept": "application/json",
    "Accept-Encoding": "identity",
}

QUEUE = FairQueue("client_documents", slots=8, slots_per_person=1, max_waiting=2)


class FetchedClient(msgspec.Struct, frozen=True):
    client: Client
    max_age_seconds: int


class _Document(msgspec.Struct):
    client_id: str
    redirect_uris: list[str]
    client_name: str = ""
    grant_types: tuple[str, ...] = ("authorization_code",)
    token_endpoint_auth_method: str = PUBLIC_CLIENT
    client_secret: object = None


async def fetch(config: Config, person: Person, url: str, now: float) -> FetchedClient:
    """The program that the document at this URL describes. Raises BadRequest with the reason."""
    if not domain.people.agents.is_document_url(url):
        raise BadRequest("The address of this program's description is not valid.")
    try:
        async with QUEUE.slot(person):
            answer = await safe_http.get(
                url,
                REQUEST_HEADERS,
                seconds=MAX_SECONDS,
                max_bytes=MAX_BYTES,
                max_redirects=0,
                allowed=config.agent_client_networks,
                person=person,
            )
    except RequestFailed as error:
        raise BadRequest(
            f"The description of this program cannot be fetched: {type(error).__name__}"
        ) from None
    if answer.status != 200 or not _is_json(answer):
        raise BadRequest("The address of this program has no description in JSON.")
    return FetchedClient(_client(url, answer.body, now), _max_age_seconds(answer))


def _client(url: str, body: bytes, now: float) -> Client:
    try:
        document = msgspec.json.decode(body, type=_Document)
    except (msgspec.MsgspecError, RecursionError):
        raise BadRequest("The description of this program is not valid.") from None
    if document.client_id != url:
        raise BadRequest("The description of this program is of another program.")
    if document.token_endpoint_auth_method != PUBLIC_CLIENT or document.client_secret is not None:
        raise BadRequest("This program wants a secret, and programs have none here.")
    if "authorization_code" not in document.grant_types:
        raise BadRequest("This program does not ask users.")
    uris = [
        each for each in document.redirect_uris if domain.people.agents.is_allowed_redirect(each)
    ]
    if not uris:
        raise BadRequest("The description of this program has no address to lead you back to.")
    return Client(url, domain.people.agents.shown_name(document.client_name), uris, now)


def _is_json(answer: HttpResponse) -> bool:
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(re.fullmatch(r"application/([\w.-]+\+)?json", media_type))


def _max_age_seconds(answer: HttpResponse) -> int:
    """How long the document may be used, within our bounds."""
    rules = answer.headers.get("cache-control", "").lower()
    if "no-store" in rules or "no-cache" in rules:
        return MIN_MAX_AGE_SECONDS
    found = re.search(r"\bmax-age=(\d{1,9})", rules)
    seconds = DEFAULT_MAX_AGE_SECONDS if found is None else int(found[1])
    return min(max(seconds, MIN_MAX_AGE_SECONDS), MAX_MAX_AGE_SECONDS)
