"""GitHub login. GitHub speaks OAuth without OpenID Connect, so its API is asked for the profile."""

from typing import Any

from tertulia.config.login_providers import PRESETS, OpenIdProvider
from tertulia.external.sso import openid, provider_http
from tertulia.external.sso.provider_http import ProviderRequest
from tertulia.external.sso.provider_types import PendingLogin, ProviderError, ProviderUser

SCOPE = "read:user user:email"
SCOPE_FOR_GROUPS = f"{SCOPE} read:org"
MAX_GROUPS = "per_page=100"
NO_REPLY = "@users.noreply.github.com"


async def authorization_url(provider: OpenIdProvider, pending: PendingLogin) -> str:
    """The authorization URL."""
    return openid.with_query(
        f"{provider.site}/login/oauth/authorize",
        client_id=provider.client_id,
        redirect_uri=pending.return_address,
        scope=SCOPE_FOR_GROUPS if provider.asks_for_groups else SCOPE,
        state=pending.state,
        code_challenge=pending.challenge,
        code_challenge_method="S256",
    )


async def finish(provider: OpenIdProvider, pending: PendingLogin, code: str) -> ProviderUser:
    """Exchange a code for the user's profile. Raises ProviderError."""
    async with provider_http.login_timeout():
        return await _user(provider, pending, code)


async def _user(provider: OpenIdProvider, pending: PendingLogin, code: str) -> ProviderUser:
    pkce = {"redirect_uri": pending.return_address, "code_verifier": pending.verifier}
    token = (await _tokens(provider, code, **pkce)).get("access_token")
    if not isinstance(token, str):
        raise ProviderError("GitHub rejects the code")
    user = await _get(provider, "/user", token)
    emails = await _get(provider, "/user/emails", token)
    if not isinstance(user, dict) or type(user.get("id")) is not int:
        raise ProviderError("GitHub's answer has no user id")
    claims = user | {"name": user.get("name") or user.get("login")}
    if provider.asks_for_groups:
        claims[provider.groups_claim] = await _groups(provider, token)
    return ProviderUser(subject=str(user["id"]), emails=_verified(emails), claims=claims)


async def check(provider: OpenIdProvider) -> None:
    """Raises ProviderError unless GitHub can be reached and accepts our client secret: then it
    rejects only the made-up code."""
    problem = (await _tokens(provider, "none")).get("error")
    if problem != "bad_verification_code":
        raise ProviderError(f"{provider.site} says {problem}")


async def _tokens(provider: OpenIdProvider, code: str, **more: str) -> dict[str, Any]:
    """Exchange a code for an access token."""
    form = {"client_id": provider.client_id, "client_secret": provider.client_secret}
    inquiry = ProviderRequest(
        f"{provider.site}/login/oauth/access_token", form | {"code": code, **more}
    )
    answer = await provider_http.fetch_json(inquiry, provider.ca_file)
    return answer if isinstance(answer, dict) else {}


def is_from(provider: OpenIdProvider, issuer: str) -> bool:
    """Always true: GitHub's answers have a return address of their own."""
    return True


async def _groups(provider: OpenIdProvider, token: str) -> list[str]:
    """The user's organizations, and their teams as `organization/team`."""
    organizations = await _get(provider, f"/user/orgs?{MAX_GROUPS}", token)
    teams = await _get(provider, f"/user/teams?{MAX_GROUPS}", token)
    try:
        return [str(each["login"]) for each in organizations] + [
            f"{each['organization']['login']}/{each['slug']}" for each in teams
        ]
    except (KeyError, TypeError) as error:
        raise ProviderError("GitHub's list of organizations is malformed") from error


def _verified(emails: Any) -> tuple[str, ...]:
    known = [each for each in emails if isinstance(each, dict)] if isinstance(emails, list) else []
    known.sort(key=lambda each: not each.get("primary"))
    return tuple(
        each["email"]
        for each in known
        if each.get("verified") is True
        and isinstance(each.get("email"), str)
        and not each["email"].endswith(NO_REPLY)
    )


async def _get(provider: OpenIdProvider, path: str, token: str) -> Any:
    is_public = provider.site == PRESETS["github"][1]
    api = "https://api.github.com" if is_public else f"{provider.site}/api/v3"
    return await provider_http.fetch_json(
        ProviderRequest(f"{api}{path}", bearer=token), provider.ca_file
    )
