"""Malformed answers of OpenID providers: an error in words, and asked again the next time."""

import asyncio
import gzip
import itertools
import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.fake_oidc import (
    MisbehavingProvider,
    RawAnswer,
    key_of,
    misbehaving_provider,
    signed,
)

from tertulia.config.login_providers import OpenIdProvider
from tertulia.external.sso import openid, provider_http
from tertulia.external.sso.provider_types import PendingLogin, ProviderError, ProviderUser

PENDING = PendingLogin("state", "the nonce", "v" * 43, "https://chat.example.com/complete/oidc/")
DISCOVERY = "/.well-known/openid-configuration"
DEEP = RawAnswer([b'{"keys":' + b"[" * 5000 + b"]" * 5000 + b"}"])
NESTED = json.loads("[" * 40 + "]" * 40)


@pytest.fixture
def site() -> Iterator[MisbehavingProvider]:
    with misbehaving_provider() as found:
        openid._cache.clear()  # it may stand at the address of another
        found.is_openid(signed(claims(found)), {"sub": "s-1"})
        yield found


def claims(site: MisbehavingProvider, **others: Any) -> dict[str, Any]:
    return {
        "iss": site.address,
        "aud": "chat",
        "sub": "s-1",
        "exp": int(time.time()) + 300,
        "nonce": PENDING.nonce,
    } | others


def provider(site: MisbehavingProvider) -> OpenIdProvider:
    return OpenIdProvider(client_id="chat", client_secret="hush", issuer=site.address, name="x")


def come_back(site: MisbehavingProvider) -> ProviderUser:
    return asyncio.run(openid.finish(provider(site), PENDING, "the code"))


@pytest.mark.parametrize("path", [DISCOVERY, "/keys", "/token", "/userinfo"])
@pytest.mark.parametrize(
    "odd",
    [
        [1],
        1,
        "text",
        {},
        {"keys": None},
        {"keys": [None, 1, {"kty": "RSA"}, {"kty": "oct", "k": "aHVzaA"}, {"kty": ["RSA"]}]},
        {"keys": {}},
        {"id_token": None},
        {"id_token": "a.b.c", "access_token": "\n"},
        {"sub": ["s-1"]},
        {"sub": "s-1", "name": "a\0b"},
        {"sub": "s-1", "nested": NESTED},
        DEEP,
        RawAnswer([b'{"sub": "s-1", "name": "\\ud800"}']),
        RawAnswer([b'{"sub": "s-1", "name": "\xff"}']),
        RawAnswer([b"{}"], (("Content-Encoding", "gzip"),)),
        RawAnswer([b"{}"], (("Content-Encoding", "rot13"),)),
    ],
    ids=lambda odd: repr(odd)[:40],
)
def test_a_malformed_answer_is_an_error_and_is_not_cached(site, path, odd):
    good = site.answers[path]
    site.answers[path] = odd

    with pytest.raises(ProviderError):
        come_back(site)
    site.answers[path] = good

    assert come_back(site).subject == "s-1"


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
@pytest.mark.parametrize("value", ["", "javascript:alert(1)", "//x", "http://", "http://[", "a b"])
def test_endpoints_must_be_web_addresses(site, name, value):
    good = site.answers[DISCOVERY]
    site.answers[DISCOVERY] = good | {name: value}

    with pytest.raises(ProviderError, match=name):
        asyncio.run(openid.authorization_url(provider(site), PENDING))
    site.answers[DISCOVERY] = good

    assert asyncio.run(openid.authorization_url(provider(site), PENDING)).startswith(site.address)


@pytest.mark.parametrize(
    "others",
    [
        {"sub": "s" * 256},
        {"sub": "a\0b"},
        {"sub": "\ud800"},
        {"exp": "soon"},
        {"exp": [1]},
        {"aud": {"chat": 1}},
        {"nested": NESTED},
    ],
    ids=lambda others: repr(others)[:40],
)
def test_a_malformed_token_is_an_error(site, others):
    site.answers["/token"]["id_token"] = signed(claims(site, **others))

    with pytest.raises(ProviderError, match="ID token"):
        come_back(site)


def test_an_unreadable_key_does_not_affect_other_keys(site):
    site.answers["/keys"]["keys"] = [
        {"kty": "post-quantum", "kid": "two"},
        {"kty": "RSA", "n": "!", "e": "AQAB"},
        None,
        key_of("provider").as_dict(private=False),
    ]

    assert come_back(site).subject == "s-1"


def test_malformed_new_keys_keep_the_old_ones(site):
    """A token by another key makes us ask for keys anew; the answer to that must not be believed
    before it was converted."""
    come_back(site)
    good = site.answers["/token"]["id_token"]
    site.answers["/token"]["id_token"] = signed(claims(site), by="somebody else")
    site.answers["/keys"] = {"keys": None}
    with pytest.raises(ProviderError):
        come_back(site)

    site.answers["/token"]["id_token"] = good

    assert come_back(site).subject == "s-1"


def test_valid_answers_are_cached(site):
    for _ in range(3):
        come_back(site)

    requested = [path for path, _, _ in site.asked]
    assert (requested.count(DISCOVERY), requested.count("/keys")) == (1, 1)


def test_compressed_answers_are_limited_by_their_uncompressed_size(site):
    packed = (("Content-Encoding", "gzip"),)
    good = json.dumps(site.answers["/userinfo"]).encode()
    site.answers["/userinfo"] = RawAnswer([gzip.compress(good)], packed)
    assert come_back(site).subject == "s-1"

    bomb = gzip.compress(b'{"sub": "s-1", "name": "' + b"x" * (50 << 20) + b'"}')
    site.answers["/userinfo"] = RawAnswer([bomb], packed)
    unpacked = _peak_memory(site)

    assert unpacked < 10 << 20


def _peak_memory(site: MisbehavingProvider) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError, match="larger than"):
            come_back(site)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", [DISCOVERY, "/keys", "/token", "/userinfo"])
def test_a_slow_answer_times_out(site, path, monkeypatch):
    """Each byte comes in time; all of them together do not."""
    monkeypatch.setattr(provider_http, "TIMEOUT_SECONDS", 0.5)
    good = site.answers[path]

    def trickle() -> Iterator[bytes]:
        for _ in itertools.repeat(None, 600):
            time.sleep(0.05)
            yield b" "
        yield json.dumps(good).encode()

    site.answers[path] = RawAnswer(trickle())

    with pytest.raises(ProviderError, match="no answer within"):
        come_back(site)


def test_the_requests_of_a_login_share_one_time_limit(site, monkeypatch):
    """Each answer comes in time; all of them together do not."""
    monkeypatch.setattr(provider_http, "MAX_LOGIN_SECONDS", 0.5)
    for path, good in list(site.answers.items()):
        site.answers[path] = slow(good)

    with pytest.raises(ProviderError, match="no answer within"):
        come_back(site)


def slow(answer):
    def reply(form):
        time.sleep(0.2)
        return answer

    return reply
