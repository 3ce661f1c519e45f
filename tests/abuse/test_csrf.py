"""Cross-site request forgery: no page accepts a form that another site sent."""

from tests.support.browser import Browser

# These authenticate their sender themselves, by a signature or a key in the URL. `/share` keeps
# nothing: it only leads to the page.
PROVEN = {
    "/share",
    "/accounts/login/jwt/",
    "/accounts/unsubscribe/{kind}/{key}",
    "/calls/decline/{token}/{key}",
    "/complete/saml/",
    "/saml/logout/",
}
FORGED = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "", "Origin": "null"},
]


def test_no_page_accepts_a_form_of_another_site(chat):
    browser = Browser.of(chat.person("ana"))
    pages = chat.server.form_paths()

    for page in sorted({*pages} - PROVEN):
        path = page.format(key="a" * 24, kind="login", id=1)
        for headers in FORGED:
            response = browser.submits(path, {}, **headers)
            assert (page, response.status) == (page, 403)

    assert {"/login/", "/accounts/logout/", "/join/{key}/"} < {*pages}
    assert {*pages} > PROVEN
    assert browser.calls("GET", "/users/me").succeeds()
