"""Logging out with a SAML provider: who leaves here leaves there, and the other way round."""

import datetime
import html
import re
from typing import Any
from urllib.parse import quote

import pytest
from tests.support.browser import Browser
from tests.support.people import Chat
from tests.support.saml import ENTITY, SamlSite

from tertulia.config.login_providers import SamlProvider

THERE = "https://id.example.com/logout?tenant=7"
HERE = "http://chat.example.com/saml/logout/"
LOGGED_OUT = "/login/?logged_out"


@pytest.fixture(scope="module")
def site() -> SamlSite:
    return SamlSite()


@pytest.fixture
def chat(start_server: Any, site: SamlSite) -> Chat:
    provider = SamlProvider(
        name="house",
        display_name="The house",
        entity_id=ENTITY,
        url="https://id.example.com/login",
        logout_url=THERE,
        certificate=site.pem,
        email_attribute="mail",
        new_people="anybody",
    )
    return Chat.found(start_server(saml=(provider,), external_url="http://chat.example.com"), "")


def comes_in(chat: Chat, site: SamlSite, who: str = "ana", session: str = "s-1") -> Browser:
    browser = Browser(chat)
    requested = site.asked(browser.opens("/accounts/login/social/saml/house").headers["Location"])
    about = {"attributes": {"mail": [f"{who}@example.com"]}, "session": session}
    form = {"SAMLResponse": site.answers(requested, who, **about), "RelayState": requested["state"]}
    taken = browser.submits("/complete/saml/", form, **{"Sec-Fetch-Site": "cross-site"})
    browser.opens(taken.headers["Location"])
    assert is_in(browser)
    return browser


def is_in(browser: Browser) -> bool:
    return browser.calls("GET", "/users/me").status == 200


@pytest.mark.on_one
def test_logging_out_here_logs_out_at_the_provider(chat, site):
    browser = comes_in(chat, site)

    page = browser.submits("/logout/")

    # No redirect: browsers let no form of our page lead to another site.
    where = page.headers["Refresh"].removeprefix("0; url=")
    (button,) = re.findall(
        r'<a class="b [^"]*" href="([^"]*)">Log out of The house as well<', page.body.decode()
    )
    assert page.status == 200
    assert html.unescape(button) == where
    assert where.startswith(f"{THERE}&SAMLRequest=")
    found = site.values_at(where)
    assert (found["kind"], found["who"], found["session"]) == ("LogoutRequest", "ana", "s-1")
    assert "session" not in browser.cookies
    back = browser.opens("/saml/logout/?SAMLResponse=x", **{"Sec-Fetch-Site": "cross-site"})
    assert back.headers["Location"] == LOGGED_OUT
    local = Browser.of(chat.person("ben"))
    assert local.submits("/logout/").headers["Location"] == LOGGED_OUT
    described = browser.opens("/saml/metadata.xml").body.decode()
    assert described.count(f'Location="{HERE}"') == 2


@pytest.mark.on_one
def test_logging_out_at_the_provider_ends_the_session(chat, site):
    first, second, third = (comes_in(chat, site, session=each) for each in ("s-1", "s-2", "s-3"))
    other = comes_in(chat, site, "ben")
    by_query, _ = site.requests_logout(HERE, "ana", session="s-2")
    _, by_form = site.requests_logout(HERE, "ana", session="s-3")
    of_all, _ = site.requests_logout(HERE, "ana")
    stranger = Browser(chat)  # the cookie does not come along from another site

    event = stranger.opens(f"/saml/logout/?{by_query}", **{"Sec-Fetch-Site": "cross-site"})
    assert [is_in(each) for each in (first, second, third, other)] == [True, False, True, True]
    stranger.submits("/saml/logout/", {"SAMLRequest": by_form}, **{"Sec-Fetch-Site": "cross-site"})
    assert [is_in(each) for each in (first, second, third, other)] == [True, False, False, True]
    stranger.opens(f"/saml/logout/?{of_all}")
    assert [is_in(each) for each in (first, other)] == [False, True]

    found = site.values_at(event.headers["Location"])
    assert event.headers["Location"].startswith(f"{THERE}&SAMLResponse=")
    assert (found["kind"], found["answers"], found["status"]) == ("LogoutResponse", "_l", "Success")
    assert found["state"] == "there"


@pytest.mark.on_one
def test_logout_requests_of_others_are_refused(chat, site):
    browser = comes_in(chat, site)
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    good, _ = site.requests_logout(HERE, "ben")
    evil, by_form = SamlSite().requests_logout(HERE, "ana")
    request = evil.partition("&")[0].removeprefix("SAMLRequest=")

    queries = {
        "another key": evil,
        "not signed": evil.partition("&")[0],
        "signed for another": good.replace(good.partition("&")[0], f"SAMLRequest={request}"),
        "said twice": f"{good}&SAMLRequest={request}",
        "another issuer": site.requests_logout(HERE, "ana", issuer="https://evil")[0],
        "another address": site.requests_logout(HERE, "ana", to="https://evil/")[0],
        "long ago": site.requests_logout(HERE, "ana", when=past)[0],
        "nonsense": "SAMLRequest=x&SigAlg=y&Signature=z",
        "nothing": "SAMLRequest=",
    }
    for why, query in queries.items():
        assert browser.opens(f"/saml/logout/?{query}").status == 401, why
    forged = browser.submits("/saml/logout/", {"SAMLRequest": by_form})
    hidden = browser.opens(f"/saml/logout/?{good}&{quote('SAMLReques')}%74={request}")

    assert forged.status == 401
    assert hidden.status == 303  # which is about Ben
    assert is_in(browser)
