"""Logging in with a SAML provider: what it signs is believed, and nothing else."""

import base64
import datetime
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from structlog.testing import capture_logs
from tests.support.browser import Browser
from tests.support.people import Chat
from tests.support.saml import ENTITY, SamlSite

from tertulia import actions
from tertulia.config.login_providers import SamlProvider
from tertulia.external.sso.provider_types import ProviderError
from tertulia.external.sso.saml import checked_xml, read_response

BEGIN = "/accounts/login/social/saml/house"


@pytest.fixture(scope="module")
def site() -> SamlSite:
    return SamlSite()


@pytest.fixture
def chat(start_server: Any, site: SamlSite) -> Chat:
    provider = SamlProvider(
        name="house",
        entity_id=ENTITY,
        url="https://id.example.com/login",
        certificate=site.pem,
        email_attribute="mail",
        name_attribute="cn",
        new_people="anybody",
        roles=(("admin", ("it",)),),
    )
    server = start_server(saml=(provider,), external_url="http://chat.example.com")
    return Chat.found(server, "")


def leaves(browser: Browser, site: SamlSite, query: str = "") -> dict[str, str]:
    return site.asked(browser.opens(f"{BEGIN}{query}").headers["Location"])


def posts(browser: Browser, answer: str, state: str) -> Any:
    """The provider's page has the browser post its answer; no cookie is sent with that."""
    kept, browser.cookies = browser.cookies, {}
    form = {"SAMLResponse": answer, "RelayState": state}
    taken = browser.submits("/complete/saml/", form, **{"Sec-Fetch-Site": "cross-site"})
    browser.cookies = kept
    return taken


def comes_back(browser: Browser, answer: str, state: str) -> Any:
    taken = posts(browser, answer, state)
    return browser.opens(taken.headers["Location"]) if taken.status == 303 else taken


ANA = {"mail": ["ana@example.com"], "cn": ["Ana Díaz"], "groups": ["it", "press"]}


@pytest.mark.on_one
def test_a_saml_login_creates_an_account(chat, site):
    browser = Browser(chat)

    requested = leaves(browser, site, "?next=/%23x")
    came = comes_back(browser, site.answers(requested, "id-7", attributes=ANA), requested["state"])

    assert requested["return"] == "http://chat.example.com/complete/saml/"
    assert came.headers["Location"] == "/#x"
    me = browser.calls("GET", "/users/me").succeeds()
    assert (me["full_name"], me["is_admin"]) == ("Ana Díaz", True)
    (response,) = chat.stranger.get("/server_settings").succeeds()[
        "external_authentication_methods"
    ]
    assert (response["name"], response["display_name"], response["login_url"]) == (
        "saml:house",
        "SAML",
        BEGIN,
    )
    described = browser.opens("/saml/metadata.xml")
    assert described.headers["Content-Type"].startswith("text/xml")
    assert requested["entity"] in described.body.decode()
    assert requested["return"] in described.body.decode()


@pytest.mark.parametrize("signs", ["assertion", "both"])
@pytest.mark.on_one
def test_a_signature_on_response_or_assertion_is_accepted(chat, site, signs):
    browser = Browser(chat)
    requested = leaves(browser, site)
    response = site.answers(requested, "id-7", attributes=ANA, signs=signs)

    changed = base64.b64decode(response).replace(b"ana@example.com", b"owner@example.com")
    refused = comes_back(browser, base64.b64encode(changed).decode(), requested["state"])
    came = comes_back(browser, response, requested["state"])

    assert (refused.status, came.status) == (401, 303)
    assert browser.calls("GET", "/users/me").succeeds()["full_name"] == "Ana Díaz"


# An unsigned assertion, inserted before the signed one.
EVIL = """<a:Assertion xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" ID="_e"><a:Subject>
<a:NameID>owner</a:NameID></a:Subject></a:Assertion>"""


def wrapped(answer: str) -> str:
    """The signed element, hidden in another place, and another assertion in its place."""
    xml = base64.b64decode(answer).decode()
    begin, end = xml.index("<a:Assertion "), xml.index("</a:Assertion>") + len("</a:Assertion>")
    hidden = f"<p:Extensions>{xml[begin:end]}</p:Extensions>"
    evil = xml[begin:end].replace("ana@example.com", "owner@example.com").replace('"_a"', '"_b"')
    return base64.b64encode(f"{xml[:begin]}{hidden}{evil}{xml[end:]}".encode()).decode()


def odd_answers(site: SamlSite, asked: dict[str, str]) -> dict[str, str]:
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    good = base64.b64decode(site.answers(asked, "id-7", attributes=ANA)).decode()

    def changed(old: str, new: str) -> str:
        assert old in good
        return base64.b64encode(good.replace(old, new, 1).encode()).decode()

    return {
        "another key": SamlSite().answers(asked, "id-7", attributes=ANA),
        "another issuer": site.answers(asked, "id-7", attributes=ANA, issuer="https://evil"),
        "another audience": site.answers(asked, "id-7", attributes=ANA, audience="https://evil"),
        "another login": site.answers(asked, "id-7", attributes=ANA, request="_other"),
        "another address": site.answers(asked, "id-7", attributes=ANA, recipient="https://evil/"),
        "refused": site.answers(asked, "id-7", attributes=ANA, status="urn:denied"),
        "late": site.answers(asked, "id-7", attributes=ANA, until=past),
        "tampered with": changed("ana@example.com", "owner@example.com"),
        "a comment": changed("ana@example.com", "ana@example.com<!---->.evil"),
        "two assertions": changed("<a:Assertion ", f"{EVIL}<a:Assertion "),
        "signed elsewhere": wrapped(site.answers(asked, "id-7", attributes=ANA, signs="assertion")),
        "encrypted": changed("<a:Assertion ", "<a:EncryptedAssertion/><a:Assertion "),
        "unsigned": base64.b64encode(
            re.sub("<ds:Signature .*</ds:Signature>", "", good, flags=re.DOTALL).encode()
        ).decode(),
        "nonsense": "nonsense",
        "nothing": "",
        "a bomb": base64.b64encode(
            b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'
        ).decode(),
    }


@pytest.mark.on_one
def test_invalid_responses_are_refused(chat, site):
    browser = Browser(chat)
    requested = leaves(browser, site)

    for why, response in odd_answers(site, requested).items():
        page = comes_back(browser, response, requested["state"])
        assert page.status == 401, why
        assert "session" not in browser.cookies, why


COMMENT = "<name>ana<!-- -->.evil</name>"


@pytest.mark.on_one
@pytest.mark.parametrize(
    "written",
    [
        COMMENT.encode(),
        *(COMMENT.encode(each) for each in ("utf-16", "utf-16-le", "utf-32", "cp037")),
        b"<?xml version='1.0' encoding='UTF-7'?><name>ana+ADwAIQ--- --+AD4-.evil</name>",
    ],
)
def test_comments_are_refused_in_every_encoding(written):
    with pytest.raises(ProviderError):
        checked_xml(written)


@pytest.mark.on_one
@pytest.mark.parametrize(
    "written",
    ["<é/>", '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<é/>', "<?xml version='1.0'?><a/>"],
)
def test_xml_without_comments_is_accepted_unchanged(written):
    assert checked_xml(written.encode()) == written.encode()


@pytest.mark.on_one
def test_a_forged_host_header_does_not_change_the_expected_recipient(chat, site):
    browser = Browser(chat, headers={"Host": "evil.example"})
    requested = leaves(browser, site)
    evil = {"entity": "http://evil.example/saml/metadata.xml", "id": requested["id"]}
    there = evil | {"return": "http://evil.example/complete/saml/"}

    page = comes_back(browser, site.answers(there, "id-7", attributes=ANA), requested["state"])

    assert page.status == 401


def test_a_reassigned_address_does_not_open_the_old_account(chat, site):
    """Without `id_attribute` the name that a provider uses for a person may be their address."""

    def comes(address: str) -> dict[str, Any]:
        browser = Browser(chat)
        requested = leaves(browser, site)
        expected = {"mail": [address], "cn": ["Ana"], "groups": ["it"]}
        comes_back(
            browser, site.answers(requested, address, attributes=expected), requested["state"]
        )
        found: dict[str, Any] = browser.calls("GET", "/users/me").succeeds()
        return found

    ana = comes("ana@example.com")
    user = chat.read(actions.people.users.get, ana["user_id"])
    chat.write(actions.people.users.change_address, user, "diaz@example.com")

    assert comes("ana@example.com")["user_id"] != ana["user_id"]
    assert comes("diaz@example.com")["user_id"] == ana["user_id"]


@pytest.mark.on_one
def test_a_response_is_valid_once_in_the_same_browser(chat, site):
    browser, other = Browser(chat), Browser(chat)
    requested = leaves(browser, site)
    leaves(other, site)
    response = site.answers(requested, "id-7", attributes=ANA)

    foreign = comes_back(other, response, requested["state"])
    first = comes_back(browser, response, requested["state"])
    again = comes_back(browser, response, requested["state"])
    unasked = posts(browser, response, "a state of another user")

    assert (foreign.status, first.status, again.status) == (400, 303, 400)
    assert unasked.status == 401
    assert "session" not in other.cookies
    assert urlsplit(first.headers["Location"]).path == "/"


PAST, FUTURE = "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
DATA = "<a:SubjectConfirmationData "
CONFIRMATION = '<a:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">'
HOLDER = CONFIRMATION.replace("bearer", "holder-of-key")
STATEMENT = "<a:AuthnStatement "


@pytest.mark.on_one
@pytest.mark.parametrize("signs", ["response", "assertion"])
def test_subject_confirmation_conditions_are_checked(chat, site, signs):
    """All of it is signed; the provider has said it for another address, moment or bearer."""
    browser = Browser(chat)
    requested = leaves(browser, site)
    recipient, request = f'Recipient="{requested["return"]}"', f'InResponseTo="{requested["id"]}"'
    until = _written_until()
    ends = f'{recipient} NotOnOrAfter="{until}"'
    odd = {
        "another method": ((CONFIRMATION, HOLDER),),
        "no data": ((DATA, "<a:Other "),),
        "confirmed until the past": ((ends, ends.replace(until, PAST)),),
        "confirmed without an end": ((ends, recipient),),
        "confirmed from the future on": ((DATA, f'{DATA}NotBefore="{FUTURE}" '),),
        "a time without a zone": ((DATA, f'{DATA}NotBefore="2020-01-01T00:00:00" '),),
        "no time": ((DATA, f'{DATA}NotBefore="soon" '),),
        "another recipient": ((recipient, 'Recipient="https://evil/"'),),
        "no recipient": ((recipient, ""),),
        "another login": ((request, 'InResponseTo="_other"'),),
        "no login": ((request, ""),),
        "another destination": (('Destination="http', 'Destination="https://evil/?http'),),
        "a session that is over": ((STATEMENT, f'{STATEMENT}SessionNotOnOrAfter="{PAST}" '),),
    }
    if signs == "response":
        odd["no destination"] = ((f'Destination="{requested["return"]}"', ""),)

    for why, edits in odd.items():
        response = site.answers(
            requested, "id-7", attributes=ANA, signs=signs, edits=edits, until=UNTIL
        )
        page = comes_back(browser, response, requested["state"])
        assert page.status == 401, why
        assert "session" not in browser.cookies, why
    response = site.answers(requested, "id-7", attributes=ANA, signs=signs)
    assert comes_back(browser, response, requested["state"]).status == 303


UNTIL = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)


def _written_until() -> str:
    return UNTIL.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_session_index_and_name_format_come_from_the_signed_part(site):
    """An attacker puts other assertions before and after the signed one."""
    params = {"entity": "https://us", "id": "_1", "return": "https://us/complete/saml/"}
    edits = (("<a:NameID>", '<a:NameID Format="urn:kind">'),)
    response = site.answers(params, "id-7", signs="assertion", edits=edits)
    evil = (
        '<p:Extensions xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">'
        '<a:Subject><a:NameID Format="urn:evil">x</a:NameID></a:Subject>'
        '<a:AuthnStatement SessionIndex="evil" SessionNotOnOrAfter="2100-01-01T00:00:00Z"/>'
        "</p:Extensions>"
    )
    xml = base64.b64decode(response).decode()
    slipped = xml.replace("<a:Assertion ", f"{evil}<a:Assertion ").replace(
        "</p:Response>", f"{evil}</p:Response>"
    )
    assert slipped.count(evil) == 2
    house = SamlProvider(
        name="house", entity_id=ENTITY, url="https://id.example.com", certificate=site.pem
    )

    read = read_response(
        house,
        params["entity"],
        params["return"],
        params["id"],
        base64.b64encode(slipped.encode()).decode(),
    )

    assert (read.name_id, read.name_format, read.session_index) == ("id-7", "urn:kind", "s-1")
    assert read.session_ends_at is None


def test_a_session_ends_at_the_time_of_the_provider(chat, site):
    browser, other = Browser(chat), Browser(chat)
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=8)
    edits = ((STATEMENT, f'{STATEMENT}SessionNotOnOrAfter="{end.isoformat()[:19]}Z" '),)
    for each, changes in ((browser, edits), (other, ())):
        requested = leaves(each, site)
        response = site.answers(requested, "id-7", attributes=ANA, edits=changes)
        assert comes_back(each, response, requested["state"]).status == 303

    chat.server.clock.move(hours=7)
    assert browser.calls("GET", "/users/me").status == 200
    chat.server.clock.move(hours=2)

    assert browser.calls("GET", "/users/me").status == 401
    listed = other.calls("GET", "/users/me/sessions").succeeds()["sessions"]
    assert len(listed) == 1


@pytest.mark.on_one
def test_the_log_lists_expected_and_received_attributes(chat, site):
    browser = Browser(chat)
    requested = leaves(browser, site)
    response = site.answers(
        requested, "id-7", attributes={"email": ["ana@example.com"], "cn": ["Ana"]}
    )

    with capture_logs() as lines:
        assert comes_back(browser, response, requested["state"]).status == 401

    (line,) = [each for each in lines if each["event"] == "sso.login_refused"]
    assert (line["provider"], line["subject"]) == ("saml:house", "id-7")
    assert line["reason"] == (
        "NoVerifiedAddress; looked for the attribute mail; attributes: cn, email"
    )


@pytest.mark.on_one
def test_the_log_has_the_audience_of_a_refused_response(chat, site):
    browser = Browser(chat)
    requested = leaves(browser, site)
    response = site.answers(requested, "id-7", attributes=ANA, audience="https://other.example")

    with capture_logs() as lines:
        comes_back(browser, response, requested["state"])

    (line,) = [each for each in lines if each["event"] == "sso.answer_rejected"]
    assert "AudienceMismatch received_audience https://other.example" in line["reason"]
    assert f"expected_audience {requested['entity']}" in line["reason"]
