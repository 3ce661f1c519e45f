"""Logging in by way of others: a real OpenID provider, GitHub, a proxy's header, signed tokens."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwt
from joserfc.jwk import OctKey
from structlog.testing import capture_logs
from tests.support.browser import Browser, text_of
from tests.support.browser_user import address
from tests.support.databases import Databases, Kind
from tests.support.fake_oidc import (
    MisbehavingProvider,
    OpenIdSite,
    RawAnswer,
    misbehaving_provider,
    openid_site,
)
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.shared_servers import SharedServers

from tertulia import actions, features, storage
from tertulia.config.login_providers import JwtIssuer, OpenIdProvider, RemoteUserProxy
from tertulia.config.parsers import parse_networks
from tertulia.domain.people.invitations import Terms
from tertulia.domain.people.user import Role

OTP = "a1" * 32
KEY_TEXT = "a secret that a program shares with us"
KEYCLOAK = "/accounts/login/social/oidc/keycloak"
STRICT = "/accounts/login/social/oidc/strict"
SSO = "/accounts/login/sso/"


@pytest.fixture(scope="module")
def site() -> Iterator[OpenIdSite]:
    with openid_site() as found:
        yield found


@pytest.fixture(scope="module")
def github() -> Iterator[MisbehavingProvider]:
    with misbehaving_provider() as found:
        yield found


@pytest.fixture(scope="module")
def servers_with_providers(
    databases: Databases, site: OpenIdSite, github: MisbehavingProvider
) -> Iterator[SharedServers]:
    us: dict[str, Any] = {"client_id": "chat", "client_secret": "hush"}
    settings = {
        "openid": (
            OpenIdProvider(
                name="keycloak",
                display_name="The house",
                issuer=site.address,
                new_people="anybody",
                groups=("*",),
                roles=(("admin", ("it",)),),
                **us,
            ),
            OpenIdProvider(name="strict", issuer=site.address, only_groups=("staff",), **us),
            OpenIdProvider(preset="github", issuer=github.address, new_people="nobody", **us),
            OpenIdProvider(preset="gitlab", organizations=("elsewhere",), **us),
            OpenIdProvider(
                preset="google",
                display_icon="/static/google.png",
                organizations=("elsewhere",),
                **us,
            ),
        ),
        "remote_user": (RemoteUserProxy(email_domain="example.com"),),
        "trusted_proxies": parse_networks("127.0.0.1"),
        "jwt": (JwtIssuer(key_text=KEY_TEXT),),
    }
    with SharedServers(databases, **settings) as servers:
        yield servers


@pytest.fixture
def chat(kind: Kind, servers_with_providers: SharedServers) -> Chat:
    found = servers_with_providers.chat_on(kind)
    found.set("invite_required", True)
    return found


def ana_is_known(site: OpenIdSite, **claims: Any) -> None:
    params = {"email": "ana@example.com", "email_verified": True, "name": "Ana Díaz"}
    site.knows("s-ana", **params | claims)


def goes(browser: Browser, site: OpenIdSite, path: str = KEYCLOAK, who: str = "s-ana") -> str:
    """A user leaves for the provider and agrees there; returns the redirect."""
    left = browser.opens(path)
    assert left.status == 302, text_of(left)
    back = urlsplit(site.lets_in(left.headers["Location"], who))
    return f"{back.path}?{back.query}"


def token(**claims: Any) -> str:
    key = OctKey.import_key(KEY_TEXT)
    claims = {"exp": 2**40} | claims
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode({"alg": "HS256"}, claims, key, algorithms=["HS256"])


# --- OpenID Connect ---


def test_a_login_at_a_provider_creates_an_account(chat, site):
    ana_is_known(site, groups=["it", "press"])
    owner, browser = chat.person("owner", role="owner"), Browser(chat)

    path = KEYCLOAK.replace("login", "register", 1)
    came = browser.opens(goes(browser, site, f"{path}?next=/%23narrow/is/dm"))

    assert (came.status, came.headers["Location"]) == (303, "/#narrow/is/dm")
    me = browser.calls("GET", "/users/me").succeeds()
    assert (me["full_name"], me["is_admin"]) == ("Ana Díaz", True)
    assert chat.read(storage.people.users.find, me["user_id"]).email == "ana@example.com"
    groups = owner.get("/user_groups").succeeds()["user_groups"]
    named = {group["name"]: group["members"] for group in groups if not group["is_system_group"]}
    assert named == {"it": [me["user_id"]], "press": [me["user_id"]]}


@pytest.mark.on_one
def test_an_account_is_matched_by_verified_address_and_later_by_identity(chat, site):
    ana = chat.person("ana", role="admin")
    ana_is_known(site)
    Browser(chat).opens("/login/")
    first, second = Browser(chat), Browser(chat)

    first.opens(goes(first, site))
    ana_is_known(site, email="elsewhere@example.com")
    second.opens(goes(second, site))

    for browser in (first, second):
        assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert ana.record.email == "ana@example.com"


@pytest.mark.on_one
def test_a_reassigned_address_opens_no_account(chat, site):
    ana = chat.person("ana", role="owner")
    ana_is_known(site)
    first, second, third = Browser(chat), Browser(chat), Browser(chat)
    first.opens(goes(first, site))
    site.knows("s-new", email="ana@example.com", email_verified=True, name="A newcomer")

    page = second.opens(goes(second, site, who="s-new"))
    chat.write(actions.people.external_identities.unlink, ana.id)
    third.opens(goes(third, site, who="s-new"))

    assert page.status == 401
    assert "is linked to another user" in text_of(page)
    assert "session" not in second.cookies
    assert third.calls("GET", "/users/me").succeeds()["user_id"] == ana.id


@pytest.mark.parametrize(
    "claims",
    [{"email_verified": False}, {"email_verified": None}, {"email": None}, {"email": "no address"}],
    ids=str,
)
@pytest.mark.on_one
def test_an_unverified_address_opens_no_account(chat, site, claims):
    chat.person("ana", role="owner")
    site.knows("s-eve", **{"email": "ana@example.com", "email_verified": True} | claims)
    browser = Browser(chat)

    page = browser.opens(goes(browser, site, who="s-eve"))

    assert page.status == 401
    assert "session" not in browser.cookies


@pytest.mark.on_one
def test_a_refused_login_shows_the_reason(chat, site):
    ana_is_known(site)
    outside, uninvited = Browser(chat), Browser(chat)

    not_staff = outside.opens(goes(outside, site, STRICT))
    ana_is_known(site, groups=["Staff"])
    not_invited = uninvited.opens(goes(uninvited, site, STRICT))
    chat.set("invite_required", False)
    welcome = Browser(chat)
    welcome.opens(goes(welcome, site, STRICT))

    assert not_staff.status == not_invited.status == 401
    assert "may not be used" in text_of(not_staff)
    assert "request an invite for ana@example.com" in text_of(not_invited)
    assert welcome.calls("GET", "/users/me").status == 200


@pytest.mark.on_one
def test_an_invitation_is_applied_to_a_provider_login(chat, site):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    terms = Terms(role=Role.MODERATOR, channel_ids=(chat.channel("kitchen").id,))
    invite = features.invitations.create_as_operator
    chat.write(invite, chat.server.vault, "ana@example.com", terms, None)
    ana_is_known(site, groups=["staff"])
    browser = Browser(chat)

    browser.opens(goes(browser, site, STRICT))

    me = browser.calls("GET", "/users/me").succeeds()
    assert me["role"] == Role.MODERATOR
    kitchen = chat.channel("kitchen").id
    assert me["user_id"] in owner.get(f"/streams/{kitchen}/members").succeeds()["subscribers"]
    assert owner.get("/invites").succeeds()["invites"] == []


@pytest.mark.on_one
def test_a_reusable_link_is_applied_to_a_provider_login(chat, site):
    owner = chat.person("owner", role="owner", channels=["kitchen"])
    kitchen = chat.channel("kitchen").id
    made = {"stream_ids": [kitchen], "invite_as": 600, "welcome_message_custom_text": "Soup?"}
    link = owner.post("/invites/multiuse", **made).succeeds()["invite_link"]
    path = "/" + link.split("/", 3)[3]
    ana_is_known(site, groups=["staff"])
    browser, late = Browser(chat), Browser(chat)

    page = browser.opens(path).body.decode()
    register = STRICT.replace("login", "register", 1)
    (begin,) = re.findall(rf'href="({register}[^"]*)"', page)
    browser.opens(goes(browser, site, begin))
    before = goes(late, site, begin, who="s-late")
    site.knows("s-late", email="late@example.com", email_verified=True, groups=["staff"])
    (open_one,) = owner.get("/invites").succeeds()["invites"]
    owner.delete(f"/invites/multiuse/{open_one['id']}").succeeds()
    too_late = late.opens(before)

    me = browser.calls("GET", "/users/me").succeeds()
    assert me["role"] == Role.GUEST
    assert me["user_id"] in owner.get(f"/streams/{kitchen}/members").succeeds()["subscribers"]
    narrow = {"anchor": "newest", "num_before": 1, "num_after": 0, "narrow": '[["is","dm"]]'}
    (greeting,) = browser.calls("GET", "/messages", **narrow).succeeds()["messages"]
    assert f"Welcome to {chat.realm.name}!" in greeting["content"]
    assert "Soup?" in greeting["content"]
    assert too_late.status == 404
    assert "session" not in late.cookies
    owner.patch("/realm", authentication_methods={"Email": False}).succeeds()
    again = owner.post("/invites/multiuse").succeeds()["invite_link"].rstrip("/").rsplit("/")[-1]
    led = Browser(chat).opens(f"/join/{again}/").headers["Location"]
    assert led == f"/login/?multiuse_object_key={again}"
    assert f"?multiuse_object_key={again}" in Browser(chat).opens(led).body.decode()


@pytest.mark.parametrize(
    "abuse",
    [
        "another browser",
        "twice",
        "made up",
        "late",
        "no code",
        "the code of another",
        "another provider",
    ],
)
@pytest.mark.on_one
def test_a_callback_is_valid_once_in_the_same_browser(chat, site, abuse):
    ana_is_known(site)
    browser, other = Browser(chat), Browser(chat)
    back = goes(browser, site)

    match abuse:
        case "another browser":
            other.opens(KEYCLOAK)  # which has a cookie of its own
            page = other.opens(back)
        case "twice":
            browser.opens(back)
            browser.cookies.pop("session")
            page = browser.opens(back)
        case "made up":
            page = browser.opens(re.sub("state=[^&]*", "state=x", back))
        case "late":
            chat.server.clock.move(minutes=16)
            page = browser.opens(back)
        case "the code of another":
            theirs = re.findall("code=[^&]*", goes(other, site))[0]
            page = browser.opens(re.sub("code=[^&]*", theirs, back))
        case "another provider":  # which both come back to the same address of ours
            page = browser.opens(f"{back}&iss=https://evil.example")
        case "no code":
            page = browser.opens(re.sub("code=[^&]*", "error=access_denied", back))

    assert page.status in (400, 401)
    assert "session" not in browser.cookies | other.cookies


def test_a_login_started_on_one_server_finishes_on_another(
    kind, databases, site, servers_with_providers
):
    first = servers_with_providers.on(kind)
    second = Server(first.url, first.folder, first.settings).start()
    chat = Chat.found(first)
    second.catch_up()
    there = Chat(second, chat.realm, chat.host)
    ana_is_known(site)
    browser = Browser(chat)

    back = goes(browser, site)
    elsewhere = Browser(there, cookies=browser.cookies)
    came, again = elsewhere.opens(back), browser.opens(back)
    is_in = elsewhere.calls("GET", "/users/me").status
    second.stop()

    assert (came.status, again.status, is_in) == (303, 400, 200)


@pytest.mark.on_one
def test_the_state_of_another_organization_is_refused(chat, site):
    ana_is_known(site)
    elsewhere = Chat.found(chat.server)
    browser = Browser(chat)
    back = goes(browser, site)

    page = Browser(elsewhere, cookies=browser.cookies).opens(back)

    assert page.status == 400


@pytest.mark.on_one
def test_the_stored_login_state_is_not_in_plain_text(chat, site):
    browser = Browser(chat)
    left = browser.opens(KEYCLOAK).headers["Location"]

    kept = chat.read(lambda tx: tx.all("SELECT * FROM pending_login WHERE realm_id = :realm"))

    state = parse_qs(urlsplit(left).query)["state"][0]
    nonce = parse_qs(urlsplit(left).query)["nonce"][0]
    (row,) = kept
    text = b"".join(bytes(row[name]) for name in ("state_hash", "browser_hash", "sealed"))
    for secret in (state, nonce, browser.cookies["login"], "keycloak"):
        assert secret.encode() not in text


@pytest.mark.on_one
def test_after_login_redirects_lead_only_to_own_pages(chat, site):
    ana_is_known(site)
    browser = Browser(chat)

    came = browser.opens(goes(browser, site, f"{KEYCLOAK}?next=https://evil.example/"))

    assert came.headers["Location"] == "/"


@pytest.mark.on_one
def test_a_planted_session_is_replaced_at_login(chat, site):
    ana_is_known(site)
    eve = Browser.of(chat.person("eve"))
    victim = Browser(chat, cookies=dict(eve.cookies))

    victim.opens(goes(victim, site))

    assert victim.cookies["session"] != eve.cookies["session"]
    assert eve.calls("GET", "/users/me").status == 401


@pytest.mark.on_one
def test_github_login_finds_the_address_with_an_account(chat, github):
    ben = chat.person("ben")
    github.answers = {
        "/login/oauth/access_token": {"access_token": "access"},
        "/api/v3/user": {"id": 42, "login": "ben", "name": "Ben"},
        "/api/v3/user/emails": [
            {"email": "main@example.com", "verified": True, "primary": True},
            {"email": "ben@example.com", "verified": True, "primary": False},
        ],
    }
    browser = Browser(chat)

    left = browser.opens("/accounts/login/social/github")
    state = parse_qs(urlsplit(left.headers["Location"]).query)["state"][0]
    browser.opens(f"/complete/github/?{urlencode({'state': state, 'code': 'x'})}")

    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ben.id


@pytest.mark.on_one
def test_a_user_with_two_accounts_chooses_one_by_address(chat, github):
    _, ben = chat.people("ana", "ben")
    github.answers = {
        "/login/oauth/access_token": {"access_token": "access"},
        "/api/v3/user": {"id": 43, "login": "ben", "name": "Ben"},
        "/api/v3/user/emails": [
            {"email": email, "verified": True, "primary": False}
            for email in ("ana@example.com", "ben@example.com", "other@example.com")
        ],
    }
    browser, other = Browser(chat), Browser(chat)

    def comes_back(browser):
        left = browser.opens("/accounts/login/social/github")
        state = parse_qs(urlsplit(left.headers["Location"]).query)["state"][0]
        page = browser.opens(f"/complete/github/?{urlencode({'state': state, 'code': 'x'})}")
        assert "session" not in browser.cookies
        return page, re.findall(r'name="state" value="([^"]*)"', page.body.decode())

    page, (state,) = comes_back(browser)
    _, (mine,) = comes_back(other)
    foreign = other.submits("/complete/address/", {"state": state, "email": "ben@example.com"})
    unheard = other.submits("/complete/address/", {"state": mine, "email": "owner@example.com"})
    chosen = browser.submits("/complete/address/", {"state": state, "email": "ben@example.com"})

    assert re.findall(r'name="email" value="([^"]*)"', page.body.decode()) == [
        "ana@example.com",
        "ben@example.com",
    ]
    assert (foreign.status, unheard.status, chosen.status) == (400, 401, 303)
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ben.id
    again = Browser(chat)
    left = again.opens("/accounts/login/social/github")
    state = parse_qs(urlsplit(left.headers["Location"]).query)["state"][0]
    known = again.opens(f"/complete/github/?{urlencode({'state': state, 'code': 'x'})}")
    assert known.status == 303


# --- server settings ---


@pytest.mark.on_one
def test_server_settings_list_every_login_method(chat):
    response = chat.stranger.get("/server_settings").succeeds()

    assert response["external_authentication_methods"] == [
        {
            "name": name,
            "display_name": title,
            "display_icon": None,
            "login_url": login,
            "signup_url": login.replace("/login/social", "/register/social"),
        }
        for name, title, login in [
            ("remoteuser", "SSO", "/accounts/login/start/sso/"),
            ("oidc:keycloak", "The house", KEYCLOAK),
            ("oidc:strict", "OpenID Connect", STRICT),
            ("github", "GitHub", "/accounts/login/social/github"),
        ]
    ]
    methods = response["authentication_methods"]
    assert [name for name, is_on in methods.items() if is_on] == [
        "password",
        "email",
        "remoteuser",
        "github",
        "openid connect",
    ]
    page = Browser(chat).opens("/login/?next=/%23x").body.decode()
    assert f'href="{KEYCLOAK}?next=/%23x"' in page
    elsewhere = Chat.found(chat.server, "elsewhere").stranger.get("/server_settings").succeeds()
    assert [
        (each["name"], each["display_icon"], each["login_url"])
        for each in elsewhere["external_authentication_methods"]
        if each["name"].startswith("g")
    ] == [
        ("google", "/static/google.png", "/accounts/login/social/google"),
        ("github", None, "/accounts/login/social/github"),
        ("gitlab", None, "/accounts/login/social/gitlab"),
    ]


@pytest.mark.on_one
def test_a_disabled_login_method_is_refused_at_once(chat, site):
    ana_is_known(site)
    owner, browser = chat.person("owner", role="owner"), Browser(chat)
    back = goes(browser, site)

    owner.patch("/realm", authentication_methods={"OpenID Connect": False}).succeeds()

    assert browser.opens(KEYCLOAK).status == 401
    assert browser.opens(back).status == 401
    assert browser.opens("/accounts/login/social/google").status == 404
    assert browser.opens("/accounts/login/google/").status == 404
    assert "Missing idp param" in text_of(browser.opens("/accounts/login/social/oidc"))
    names = [
        each["name"]
        for each in chat.stranger.get("/server_settings").succeeds()[
            "external_authentication_methods"
        ]
    ]
    assert names == ["remoteuser", "github"]


# --- apps ---


@pytest.mark.on_one
def test_the_mobile_app_receives_its_key(chat, site):
    ana = chat.person("ana")
    ana_is_known(site)
    browser = Browser(chat)

    came = browser.opens(goes(browser, site, f"{KEYCLOAK}?mobile_flow_otp={OTP}"))

    assert came.status == 302
    assert came.body == b""
    assert "session" not in browser.cookies
    where = came.headers["Location"]
    assert where.startswith("zulip://login?")
    found = {name: values[0] for name, values in parse_qs(where.partition("?")[2]).items()}
    assert (found["email"], found["user_id"]) == (ana.email, str(ana.id))
    assert found["realm"] == f"http://{chat.host}"
    encrypted = bytes.fromhex(found["otp_encrypted_api_key"])
    pad = bytes.fromhex(OTP)
    assert bytes(a ^ b for a, b in zip(encrypted, pad, strict=True)).decode() == ana.key


def test_the_desktop_app_gets_a_short_lived_token(chat, site):
    ana = chat.person("ana")
    ana_is_known(site)
    browser, app, thief = Browser(chat), Browser(chat), Browser(chat)

    page = browser.opens(goes(browser, site, f"{KEYCLOAK}?desktop_flow_otp={OTP}"))
    found = re.search("<textarea[^>]*>([0-9a-f]+)</textarea>", page.body.decode())
    assert found is not None
    pasted = bytes.fromhex(found[1])
    made = AESGCM(bytes.fromhex(OTP)).decrypt(pasted[:12], pasted[12:], None).decode()
    lured = thief.opens(f"/accounts/login/subdomain/{made}", **{"Sec-Fetch-Site": "cross-site"})
    came = app.opens(f"/accounts/login/subdomain/{made}")
    again = thief.opens(f"/accounts/login/subdomain/{made}")

    assert "session" not in browser.cookies
    assert len(made) == 32
    assert came.headers["Location"] == "/"
    assert app.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert (lured.status, again.status) == (403, 400)
    assert not thief.cookies


@pytest.mark.on_one
def test_the_window_of_the_desktop_app_opens_the_browser(chat):
    app = Browser(chat, headers={"User-Agent": "ZulipElectron/5.11.0 (Linux)"})

    page = app.opens(f"{KEYCLOAK}?next=/%23narrow/is/dm")
    script = app.opens("/static/desktop-login.js")

    assert page.status == 200
    assert not app.cookies
    assert f'href="http://{chat.host}{KEYCLOAK}?next=%2F%23narrow%2Fis%2Fdm"' in page.body.decode()
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert b"desktop_flow_otp" in script.body
    assert app.opens(f"{KEYCLOAK}?desktop_flow_otp={OTP}").status == 302


CLIPBOARD = """
window.electron_bridge = {
  decrypt_clipboard(version) {
    const pasted = new Promise((resolve) => { window.paste = resolve; });
    return {version, key: new Uint8Array(32).fill(15), pasted};
  },
};
"""


@pytest.mark.on_one
def test_the_window_of_the_desktop_app_reads_the_token_from_the_clipboard(chat, site, chromium):
    chat.person("ana")
    ana_is_known(site)
    own = chromium.new_context(user_agent="ZulipElectron/5.11.0 (Linux)", locale="en-GB")
    own.add_init_script(CLIPBOARD)
    window = own.new_page()

    with own.expect_event("request", lambda made: made.url.endswith(f"_otp={'0f' * 32}")):
        window.goto(address(chat, KEYCLOAK))
    browser = Browser(chat)
    page = browser.opens(goes(browser, site, f"{KEYCLOAK}?desktop_flow_otp={'0f' * 32}"))
    found = re.search("<textarea[^>]*>([0-9a-f]+)</textarea>", page.body.decode())
    assert found is not None
    pasted = bytes.fromhex(found[1])
    token = AESGCM(b"\x0f" * 32).decrypt(pasted[:12], pasted[12:], None).decode()
    window.evaluate("token => { window.paste(token); }", token)

    window.wait_for_selector("body[data-ready]")
    own.close()


@pytest.mark.on_one
def test_a_token_of_the_desktop_app_expires_after_seconds(chat, site):
    chat.person("ana")
    ana_is_known(site)
    browser = Browser(chat)
    page = browser.opens(goes(browser, site, f"{KEYCLOAK}?desktop_flow_otp={OTP}"))
    found = re.search("<textarea[^>]*>([0-9a-f]+)</textarea>", page.body.decode())
    assert found is not None
    pasted = bytes.fromhex(found[1])
    made = AESGCM(bytes.fromhex(OTP)).decrypt(pasted[:12], pasted[12:], None).decode()

    chat.server.clock.move(seconds=16)

    assert Browser(chat).opens(f"/accounts/login/subdomain/{made}").status == 400


@pytest.mark.parametrize(
    "query, words",
    [
        ("mobile_flow_otp=xyz", "Invalid OTP"),
        ("mobile_flow_otp=", "Invalid OTP"),
        (f"mobile_flow_otp={OTP}0", "Invalid OTP"),
        (f"desktop_flow_otp={OTP[:-1]}g", "Invalid OTP"),
        (f"mobile_flow_otp={OTP}&desktop_flow_otp={OTP}", "both mobile_flow_otp and desktop"),
    ],
)
@pytest.mark.on_one
def test_an_invalid_one_time_password_is_refused_before_the_redirect(chat, query, words):
    page = Browser(chat).opens(f"{KEYCLOAK}?{query}")

    assert page.status == 400
    assert words in text_of(page)


# --- a proxy's word ---


@pytest.mark.on_one
def test_a_trusted_proxy_authenticates_by_header(chat):
    ana, browser = chat.person("ana"), Browser(chat)

    start = browser.opens(f"/accounts/login/start/sso/?mobile_flow_otp={OTP}")
    came = browser.opens("/accounts/login/sso/", **{"X-Remote-User": ana.email})

    assert start.headers["Location"] == f"/accounts/login/sso/?mobile_flow_otp={OTP}"
    assert came.status == 303
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert Browser(chat).opens("/accounts/login/sso/").status == 400
    unknown = Browser(chat).opens("/accounts/login/sso/", **{"X-Remote-User": "zoe"})
    assert unknown.status == 401
    for names in (
        ("ana", "owner"),
        ("owner", "ana"),
        ("ana", "ana"),
    ):  # one of them is a stranger's
        twice = dict(zip(("X-Remote-User", "x-remote-user"), names, strict=True))
        assert Browser(chat).opens("/accounts/login/sso/", **twice).status == 400
    assert Browser(chat).opens(SSO, **{"X-Remote-User": f"x@y.example, {ana.email}"}).status == 401


def test_a_proxy_login_of_the_mobile_app_requires_confirmation(chat):
    ana, browser = chat.person("ana"), Browser(chat)
    proxy = {"X-Remote-User": "ana"}
    agreed = {"mobile_flow_otp": OTP}

    page = browser.opens(f"{SSO}?mobile_flow_otp={OTP}", **proxy)
    lured = browser.submits(SSO, agreed, **proxy, **{"Sec-Fetch-Site": "cross-site"})
    came = browser.submits(SSO, agreed, **proxy)

    assert (page.status, "Location" in page.headers) == (200, False)
    assert ana.email in text_of(page)
    assert f'value="{OTP}"' in page.body.decode()
    assert "form-action 'self' zulip:" in page.headers["Content-Security-Policy"]
    assert lured.status == 403
    assert came.headers["Location"].startswith("zulip://login?otp_encrypted_api_key=")
    assert Browser(chat).opens(f"{SSO}?mobile_flow_otp={OTP}").status == 400
    assert Browser(chat).submits(SSO, agreed).status == 400
    assert not browser.cookies


def test_a_reassigned_address_does_not_open_the_old_account(chat):
    """By a proxy's word and by a token, which know people by their address alone."""
    chat.set("invite_required", False)
    ana, ben = chat.person("ana"), chat.person("ben")

    def by_header(name: str) -> Any:
        browser = Browser(chat)
        came = browser.opens(SSO, **{"X-Remote-User": name})
        return browser.calls("GET", "/users/me").succeeds()["user_id"] if came.status < 400 else 0

    def by_token(email: str) -> Any:
        response = chat.stranger.post("/jwt/fetch_api_key", token=token(email=email))
        return response.succeeds()["user_id"] if response.status == 200 else 0

    assert (by_header(ana.email), by_token(ben.email)) == (ana.id, ben.id)
    for each in (ana, ben):
        user = chat.read(actions.people.users.get, each.id)
        chat.write(actions.people.users.change_address, user, f"new-{user.email}")

    assert by_header(ana.email) not in (ana.id, ben.id)
    assert by_token(ben.email) not in (ana.id, ben.id)
    assert by_header(f"new-{ana.email}") == ana.id
    assert by_token(f"new-{ben.email}") == ben.id


@pytest.mark.parametrize("trusted", ["", "10.0.0.0/8"])
@pytest.mark.on_one
def test_the_header_of_an_untrusted_address_is_ignored(start_server, trusted):
    others = {"trusted_proxies": parse_networks(trusted), "jwt": ()}
    server = start_server(remote_user=(RemoteUserProxy(),), **others)
    chat = Chat.found(server, "")
    ana, browser = chat.person("ana", role="owner"), Browser(chat)

    for forwarded in ({}, {"X-Forwarded-For": "10.0.0.1"}):
        page = browser.opens("/accounts/login/sso/", **{"X-Remote-User": ana.email}, **forwarded)
        assert page.status == 400

    assert not browser.cookies
    refused = chat.stranger.post("/jwt/fetch_api_key", token="x")
    refused.fails("JWT authentication is not enabled for this organization")


# --- signed tokens ---


@pytest.mark.on_one
def test_a_signed_token_gives_a_key(chat):
    ana = chat.person("ana")

    plain = chat.stranger.post("/jwt/fetch_api_key", token=token(email=ana.email)).succeeds()
    full = chat.stranger.post(
        "/jwt/fetch_api_key", token=token(email=ana.email), include_profile=True
    ).succeeds()

    assert (plain["api_key"], plain["email"]) == (ana.key, ana.email)
    assert "user" not in plain
    assert full["user"]["user_id"] == ana.id


@pytest.mark.on_one
def test_an_invalid_token_is_refused(chat):
    ana = chat.person("ana")

    def tries(**params: Any):
        return chat.stranger.post("/jwt/fetch_api_key", **params)

    tries().fails("No JSON web token passed in request")
    tries(token=token(sub="ana")).fails("No email specified in JSON web token claims")
    forged = jwt.encode(
        {"alg": "HS256"}, {"email": ana.email}, OctKey.import_key("x" * 40), algorithms=["HS256"]
    )
    expired, early = token(email=ana.email, exp=1), token(email=ana.email, nbf=10**11)
    endless = token(email=ana.email, exp=None)
    for bad in (
        forged,
        expired,
        early,
        endless,
        "nonsense",
        "a.b.c",
        token(email=ana.email)[:-4] + "AAAA",
    ):
        tries(token=bad).fails("Bad JSON web token")
    unknown = tries(token=token(email="nobody@example.com"))
    assert unknown.status == 401
    chat.write(actions.people.users.deactivate, ana.id)
    gone = tries(token=token(email=ana.email))
    gone.fails("Account is deactivated", code="USER_DEACTIVATED", status=401)


def test_an_organization_can_disable_tokens(chat):
    ana, owner = chat.person("ana"), chat.person("owner", role="owner")
    proof = token(email=ana.email)
    assert owner.post("/register").succeeds()["realm_authentication_methods"]["JWT"]["enabled"]

    owner.patch("/realm", authentication_methods={"JWT": False}).succeeds()

    refused = chat.stranger.post("/jwt/fetch_api_key", token=proof)
    assert (refused.status, b"api_key" in refused.body) == (401, False)
    assert Browser(chat).submits("/accounts/login/jwt/", {"token": proof}).status == 401
    owner.patch("/realm", authentication_methods={"JWT": True}).succeeds()
    chat.stranger.post("/jwt/fetch_api_key", token=proof).succeeds()


@pytest.mark.on_one
def test_another_site_can_log_in_a_user_with_a_token(chat):
    ana, browser = chat.person("ana"), Browser(chat)

    came = browser.submits(
        "/accounts/login/jwt/",
        {"token": token(email=ana.email)},
        **{"Sec-Fetch-Site": "cross-site"},
    )

    assert came.status == 303
    assert browser.calls("GET", "/users/me").succeeds()["user_id"] == ana.id
    assert Browser(chat).submits("/accounts/login/jwt/", {"token": "x"}).status == 400


# --- the root of several organizations ---


@pytest.mark.on_one
def test_the_root_describes_the_server_without_organizations(start_server):
    server = start_server(external_url="http://chat.example.com")
    north = Chat.found(server, "north")
    Chat.found(server, "south")
    root = Chat(server, north.realm, "chat.example.com").stranger

    response = root.get("/server_settings").succeeds()

    assert not [name for name in response if name.startswith("realm_")]
    assert response["authentication_methods"]["password"] is True
    nowhere = Chat(server, north.realm, "west.chat.example.com").stranger
    nowhere.get("/server_settings").fails("Invalid subdomain")


# --- return addresses ---


def returns_to(left: Any) -> str:
    """The path of the return address with which a login has left."""
    (address,) = parse_qs(urlsplit(str(left.headers["Location"])).query)["redirect_uri"]
    return urlsplit(address).path


@pytest.mark.on_one
def test_every_provider_has_its_own_callback_address(chat):
    paths = (KEYCLOAK, STRICT, "/accounts/login/social/github")

    left = [returns_to(Browser(chat).opens(path)) for path in paths]

    assert left == ["/complete/oidc/", "/complete/oidc/strict/", "/complete/github/"]


@pytest.mark.on_one
def test_a_login_returns_only_to_the_callback_it_started_with(chat, site):
    ana_is_known(site, groups=["staff"])
    chat.person("ana")
    browsers = [Browser(chat) for _ in range(4)]
    ways = [goes(browser, site, STRICT) for browser in browsers]
    assert all(way.startswith("/complete/oidc/strict/?") for way in ways)

    came = [
        browsers[0].opens(ways[0]),
        browsers[1].opens(ways[1].replace("/strict/", "/")),
        browsers[2].opens(ways[2].replace("/strict/", "/keycloak/")),
        browsers[3].opens(ways[3].replace("/oidc/strict/", "/github/")),
    ]

    assert [each.status for each in came] == [303, 401, 401, 401]
    assert ["session" in browser.cookies for browser in browsers] == [True, False, False, False]


def test_a_login_pending_before_own_callback_addresses_completes(kind, databases, site):
    """An upgrade, or the line `return_address` in the settings: who is on the way is let in."""
    ana_is_known(site)
    house = OpenIdProvider(
        name="keycloak",
        issuer=site.address,
        client_id="chat",
        client_secret="hush",
        return_address="shared",
    )
    url, folder = databases.ready(kind)
    server = Server(url, folder, {"openid": (house,)}).start()
    chat = Chat.found(server)
    ana, browser = chat.person("ana"), Browser(chat)
    way = goes(browser, site)
    assert way.startswith("/complete/oidc/?")

    server.settings = {"openid": (replace(house, return_address="own"),)}
    server.restart()
    came = browser.opens(way)
    left = Browser(chat).opens(KEYCLOAK)
    me = browser.calls("GET", "/users/me").succeeds()
    server.stop()

    assert (came.status, me["user_id"]) == (303, ana.id)
    assert returns_to(left) == "/complete/oidc/keycloak/"


@pytest.mark.on_one
def test_a_malformed_answer_is_an_error_on_the_page_and_does_not_last(chat, github):
    github.answers = {"/login/oauth/access_token": [1]}
    browser = Browser(chat)

    def comes_back() -> int:
        left = browser.opens("/accounts/login/social/github")
        state = parse_qs(urlsplit(left.headers["Location"]).query)["state"][0]
        way = f"/complete/github/?{urlencode({'state': state, 'code': 'x'})}"
        return browser.opens(way).status

    assert comes_back() == 401
    github.answers = {
        "/login/oauth/access_token": {"access_token": "access"},
        "/api/v3/user": {"id": 44, "login": "cem"},
        "/api/v3/user/emails": [{"verified": True}, {"email": 7, "verified": True}],
    }
    assert comes_back() == 401
    chat.person("cem")
    github.answers["/api/v3/user/emails"] += [{"email": "cem@example.com", "verified": True}]
    assert comes_back() == 303


# --- why a login is refused ---


@pytest.mark.on_one
@pytest.mark.parametrize(
    ("status", "event"),
    [
        (503, "sso.provider_unavailable"),
        (429, "sso.provider_unavailable"),
        (400, "sso.answer_rejected"),
    ],
)
def test_the_log_distinguishes_an_outage_of_a_provider_from_a_refusal(chat, github, status, event):
    github.answers = {"/login/oauth/access_token": RawAnswer([b"{}"], status=status)}
    browser = Browser(chat)
    left = browser.opens("/accounts/login/social/github")
    state = parse_qs(urlsplit(left.headers["Location"]).query)["state"][0]

    with capture_logs() as lines:
        browser.opens(f"/complete/github/?{urlencode({'state': state, 'code': 'x'})}")

    (line,) = refusals(lines)
    assert (line["event"], line["provider"]) == (event, "github")
    assert line.get("status") == (status if event == "sso.provider_unavailable" else None)


def refusals(lines: list[Any]) -> list[Any]:
    return [each for each in lines if each["event"].startswith("sso.")]


@pytest.mark.on_one
@pytest.mark.parametrize(
    "made, why",
    [
        ("nonsense", "decode_error: "),
        (lambda: token(email="ana@example.com", exp=1), "expired_token: The token is expired"),
        (lambda: token(exp=4_000_000_000), "no email among its claims"),
        ("x" * 9000, "longer than 8000"),
        (
            lambda: jwt.encode(
                {"alg": "HS256"}, {}, OctKey.import_key("another" * 8), algorithms=["HS256"]
            ),
            "bad_signature: ",
        ),
    ],
    ids=["nonsense", "expired", "no address", "long", "another key"],
)
def test_the_log_has_the_reason_of_a_refused_token(chat, made, why):
    given = made if isinstance(made, str) else made()

    with capture_logs() as lines:
        assert chat.stranger.post("/jwt/fetch_api_key", token=given).status == 400

    (line,) = refusals(lines)
    assert (line["event"], line["provider"]) == ("sso.token_refused", "jwt:jwt")
    assert line["reason"].startswith(why)
    assert given not in str(line)


@pytest.mark.on_one
def test_the_log_has_the_reason_of_a_refused_provider_login(chat, site):
    ana_is_known(site, groups=["press"])
    with capture_logs() as lines:
        browser = Browser(chat)
        browser.opens(goes(browser, site, STRICT))
    (line,) = refusals(lines)
    assert (line["provider"], line["subject"]) == ("oidc:strict", "s-ana")
    assert line["reason"] == "AccountNotAdmitted; in none of only_groups (staff); groups: press"

    ana_is_known(site, email_verified=False)
    with capture_logs() as lines:
        browser = Browser(chat)
        browser.opens(goes(browser, site))
    (line,) = refusals(lines)
    assert line["reason"].startswith("NoVerifiedAddress; looked for email with email_verified true")
    assert "email_verified" in line["reason"].partition("claims: ")[2]


@pytest.mark.on_one
def test_the_log_has_the_reason_of_an_ignored_header(chat):
    with capture_logs() as lines:
        Browser(chat).opens(SSO)

    (line,) = refusals(lines)
    assert line["event"] == "sso.header_refused"
    assert line["reason"] == "X-Remote-User is missing, empty or there twice"
