"""OpenID Connect: who is believed, and which answers are not."""

import asyncio
import hashlib
import json
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.support.fake_oidc import MisbehavingProvider, misbehaving_provider, signed

from tertulia.checks import logins
from tertulia.config import Config
from tertulia.config.login_providers import JwtIssuer, OpenIdProvider, RemoteUserProxy, SamlProvider
from tertulia.domain.people.identities import ExternalProfile
from tertulia.external.sso import github as github_login
from tertulia.external.sso import openid
from tertulia.external.sso.claims import from_provider
from tertulia.external.sso.provider_types import PendingLogin, ProviderError, ProviderUser

PENDING = PendingLogin("state", "the nonce", "v" * 43, "https://chat.example.com/complete/oidc/")
SECRET = "the secret of the client, long enough"


@pytest.fixture
def site() -> Iterator[MisbehavingProvider]:
    with misbehaving_provider() as found:
        openid._cache.clear()  # it may stand at the address of another
        yield found


def provider(site: MisbehavingProvider, **settings: Any) -> OpenIdProvider:
    given = {"client_id": "chat", "client_secret": SECRET, "issuer": site.address, "name": "x"}
    return OpenIdProvider(**given | settings)


def claims(site: MisbehavingProvider, **others: Any) -> dict[str, Any]:
    mail_text = {
        "iss": site.address,
        "aud": "chat",
        "sub": "s-1",
        "exp": int(time.time()) + 300,
        "nonce": PENDING.nonce,
        "email": "ana@example.com",
        "email_verified": True,
    }
    return {name: value for name, value in (mail_text | others).items() if value is not None}


def come_back(site: MisbehavingProvider, **settings: Any) -> ProviderUser:
    return asyncio.run(openid.finish(provider(site, **settings), PENDING, "the code"))


def test_a_login_sends_a_challenge_and_verifies_the_answer(site):
    site.is_openid(signed(claims(site, name="Ana")), {"sub": "s-1", "name": "Ana Díaz"})

    where = asyncio.run(openid.authorization_url(provider(site), PENDING))
    found = come_back(site)

    sent = {name: values[0] for name, values in parse_qs(urlsplit(where).query).items()}
    digest = hashlib.sha256(PENDING.verifier.encode()).digest()
    assert sent == {
        "response_type": "code",
        "client_id": "chat",
        "redirect_uri": PENDING.return_address,
        "scope": "openid profile email",
        "state": "state",
        "nonce": "the nonce",
        "code_challenge": urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    _, form, headers = next(each for each in site.asked if each[0] == "/token")
    assert form == {
        "grant_type": "authorization_code",
        "code": "the code",
        "redirect_uri": PENDING.return_address,
        "code_verifier": PENDING.verifier,
    }
    assert b64decode(headers["Authorization"].removeprefix("Basic ")).startswith(b"chat:the%20sec")
    assert (found.subject, found.emails) == ("s-1", ("ana@example.com",))
    assert found.claims["name"] == "Ana Díaz"


@pytest.mark.parametrize(
    "others",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"aud": "somebody else"},
        {"aud": None},
        {"azp": "somebody else"},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
    ],
    ids=str,
)
def test_a_token_for_another_login_or_client_is_refused(site, others):
    site.is_openid(signed(claims(site, **others)))

    with pytest.raises(ProviderError):
        come_back(site)


def test_a_token_not_signed_by_the_provider_is_refused(site):
    found = claims(site)
    unsigned = f"{_part({'alg': 'none'})}.{_part(found)}."
    shared = jwt.encode({"alg": "HS256"}, found, OctKey.import_key(SECRET), algorithms=["HS256"])

    for token in (signed(found, by="somebody else"), unsigned, shared, "nonsense", ""):
        site.is_openid(token)
        with pytest.raises(ProviderError):
            come_back(site)


def test_a_code_requires_its_pkce_verifier(site):
    """The provider checks that, as they do: PKCE."""
    site.is_openid(signed(claims(site)))
    tokens = site.answers["/token"]
    where = asyncio.run(openid.authorization_url(provider(site), PENDING))
    challenge = parse_qs(urlsplit(where).query)["code_challenge"][0]

    def exchange(form: dict[str, str]) -> Any:
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        return tokens if urlsafe_b64encode(digest).decode().rstrip("=") == challenge else None

    site.answers["/token"] = exchange
    assert come_back(site).subject == "s-1"
    other = msgspec.structs.replace(PENDING, verifier="w" * 43)
    with pytest.raises(ProviderError):
        asyncio.run(openid.finish(provider(site), other, "the code"))


def test_userinfo_must_have_the_same_subject(site):
    site.is_openid(signed(claims(site)), {"sub": "s-2", "email": "owner@example.com"})

    with pytest.raises(ProviderError):
        come_back(site)


@pytest.mark.parametrize(
    "verified, trusting, emails",
    [
        (True, False, ("ana@example.com",)),
        ("true", False, ()),
        ("true", True, ()),
        (1, False, ()),
        ([True], True, ()),
        (False, True, ()),
        ("false", True, ()),
        (None, False, ()),
        (None, True, ("ana@example.com",)),
    ],
)
def test_only_verified_addresses_count(site, verified, trusting, emails):
    site.is_openid(signed(claims(site, email_verified=verified)))

    assert come_back(site, addresses_are_verified=trusting).emails == emails


@pytest.mark.parametrize(
    "in_token, in_userinfo, emails",
    [
        ((None, True), ("owner@example.com", None), ()),
        (("ana@example.com", True), ("owner@example.com", None), ()),
        (("ana@example.com", True), ("owner@example.com", False), ()),
        (("ana@example.com", None), (None, True), ()),
        (("ana@example.com", True), (None, None), ("ana@example.com",)),
        (("ana@example.com", None), ("ana.diaz@example.com", True), ("ana.diaz@example.com",)),
    ],
)
def test_an_address_is_verified_only_by_its_own_document(site, in_token, in_userinfo, emails):
    token = claims(site, email=in_token[0], email_verified=in_token[1])
    expected = {"sub": "s-1", "email": in_userinfo[0], "email_verified": in_userinfo[1]}
    userinfo = {name: value for name, value in expected.items() if value is not None}
    site.is_openid(signed(token), userinfo)

    assert come_back(site).emails == emails


def test_a_provider_with_another_issuer_is_refused(site):
    site.is_openid(signed(claims(site)))
    site.answers["/.well-known/openid-configuration"]["issuer"] = "https://evil.example"

    with pytest.raises(ProviderError, match="evil"):
        come_back(site)


def test_github_returns_verified_addresses(site):
    site.answers = {
        "/login/oauth/access_token": {"access_token": "access"},
        "/api/v3/user": {"id": 42, "login": "ana", "name": None},
        "/api/v3/user/emails": [
            {"email": "unverified@example.com", "verified": False, "primary": False},
            {"email": "second@example.com", "verified": True, "primary": False},
            {"email": "main@example.com", "verified": True, "primary": True},
            {"email": "42+ana@users.noreply.github.com", "verified": True, "primary": False},
        ],
    }
    github = provider(site, preset="github")

    found = asyncio.run(github_login.finish(github, PENDING, "the code"))

    assert found.subject == "42"
    assert found.emails == ("main@example.com", "second@example.com")
    assert found.claims["name"] == "ana"
    site.answers["/login/oauth/access_token"] = {"error": "bad_verification_code"}
    with pytest.raises(ProviderError):
        asyncio.run(github_login.finish(github, PENDING, "the code"))


def test_github_organizations_and_teams_become_groups(site):
    site.answers = {
        "/login/oauth/access_token": {"access_token": "access"},
        "/api/v3/user": {"id": 42, "login": "ana"},
        "/api/v3/user/emails": [{"email": "ana@example.com", "verified": True}],
        "/api/v3/user/orgs": [{"login": "Example-Inc"}],
        "/api/v3/user/teams": [{"slug": "cooks", "organization": {"login": "friends"}}],
    }

    def comes_back(**settings: Any) -> ExternalProfile:
        github = provider(site, preset="github", **settings)
        found = asyncio.run(github_login.finish(github, PENDING, "the code"))
        return from_provider(github, found)

    asking = provider(site, preset="github", only_groups=("friends/cooks",))
    where = asyncio.run(github_login.authorization_url(asking, PENDING))
    assert "read:org" in parse_qs(urlsplit(where).query)["scope"][0]
    assert comes_back(only_groups=("friends/cooks",)).is_admitted
    assert comes_back(only_groups=("example-inc",)).is_admitted
    assert not comes_back(only_groups=("friends",)).is_admitted
    assert comes_back(groups=("*",)).groups == ("Example-Inc", "friends/cooks")
    site.answers["/api/v3/user/teams"] = {"message": "Bad credentials"}
    with pytest.raises(ProviderError):
        comes_back(only_groups=("example-inc",))


def test_the_check_examines_all_login_providers(site):
    site.is_openid("")
    token = "/login/oauth/access_token"
    site.answers[token] = {"error": "bad_verification_code"}
    github, house = provider(site, preset="github"), provider(site)
    good = JwtIssuer(key_text="a secret that a program shares with us")
    fine = Config(openid=(house, github), jwt=(good,))

    assert logins.examine(fine, [""]).problems == []
    site.answers[token] = {"error": "incorrect_client_credentials"}
    saml = SamlProvider(
        name="house",
        entity_id="x",
        url="https://x.example",
        certificate="-----BEGIN CERTIFICATE-----",
    )
    bad = Config(
        external_url="https://chat.example.com",
        openid=(
            provider(site, name="elsewhere", organizations=("nowhere",)),
            provider(site, name="unknown", ca_file="/nowhere/ca.pem"),
            provider(site, name="other", issuer=f"{site.address}/other"),
            github,
        ),
        saml=(saml,),
        remote_user=(RemoteUserProxy(),),
        jwt=(JwtIssuer(key_text="no key", algorithms=("RS256",)),),
    )
    found = logins.examine(bad, [""]).problems
    for part in (
        "elsewhere: no organization has the subdomain 'nowhere'",
        "unknown: the file /nowhere/ca.pem does not exist",
        "other: it is not available",
        "says incorrect_client_credentials",
        "[[saml]] house: it is not available",
        "without trusted_proxies the server accepts the header from no one",
        "it is not available: key_text is not a key for RS256",
    ):
        assert [each for each in found if part in each], part
    assert len(found) == 7


def test_the_check_names_providers_that_share_a_callback_address(site):
    site.is_openid("")
    one = provider(site, name="one", return_address="shared")
    two = provider(site, name="two", return_address="shared")
    own = provider(site, name="own")
    elsewhere = provider(site, name="elsewhere", organizations=("b",), return_address="shared")

    found = logins.examine(Config(openid=(one, own, two, elsewhere)), ["", "b"]).problems
    apart = Config(openid=(replace(one, organizations=("",)), own, elsewhere))

    assert found == [
        "[[openid]] one, two: they share a redirect URI; set return_address",
        "[[openid]] one, two, elsewhere: they share a redirect URI; set return_address",
    ]
    assert logins.examine(apart, ["", "b"]).problems == []


def _part(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
