"""Links that users define (playgrounds, linkifiers) lead only to web addresses."""

import pytest
from tests.support.people import Chat, Person

BAD = (
    "javascript:alert(1)//{code}",
    "JavaScript:alert(1)//{code}",
    "data:text/html,{code}",
    "vbscript:{code}",
    "file:///{code}",
    "{code}",
    "{+code}",
    "java{code}script:alert(1)",
    " javascript:alert(1)//{code}",
)


@pytest.fixture
def root(chat: Chat) -> Person:
    return chat.person("root", role="owner", channels=["kitchen"])


@pytest.mark.parametrize("template", [*BAD, "//example.com/{code}", "/{code}", "mailto:{code}"])
def test_a_playground_must_be_a_web_address(root, template):
    given = {"name": "Play", "pygments_language": "Python"}

    root.post("/realm/playgrounds", url_template=template, **given).fails("Invalid URL template.")

    root.post("/realm/playgrounds", url_template="https://x.example/{code}", **given).succeeds()


@pytest.mark.parametrize("template", BAD)
def test_a_linkifier_must_be_a_web_address(root, template):
    given = {"pattern": "BUG-(?P<code>[0-9]+)"}
    fine = "https://x.example/{code}"

    for about in (
        {"url_template": template},
        {"url_template": fine, "alternative_url_templates": [template]},
    ):
        root.post("/realm/filters", **given, **about).fails("Invalid URL template.")
    made = root.post("/realm/filters", url_template=fine, **given).succeeds()["id"]
    root.patch(f"/realm/filters/{made}", url_template=template, **given).fails(
        "Invalid URL template."
    )


@pytest.mark.parametrize(
    "typed, meant",
    [
        ("BUG-`1`", "1"),
        ("BUG-:tada:", "%3Atada%3A"),
        ("BUG-\U000f0000", "%26%23983040%3B"),
        ("BUG-$$1$$", "%24%241%24%24"),
    ],
)
def test_a_link_leads_to_the_text_that_a_reader_sees(root, typed, meant):
    """The renderer's placeholders for finished parts must not get into a URL."""
    about = {"pattern": "BUG-(?P<id>.+)", "url_template": "https://x.example/{id}"}
    root.post("/realm/filters", **about).succeeds()

    shown = root.post("/messages/render", content=typed).succeeds()["rendered"]

    assert "%F3%B0" not in shown
    assert f'<a href="https://x.example/{meant}">' in shown


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://x.example/"])
def test_no_other_endpoint_accepts_such_a_url(root, url):
    field = root.post("/realm/profile_fields", name="Site", field_type=5).succeeds()["id"]
    fields = {"subtype": "custom", "url_pattern": f"{url}%(username)s"}

    refused = [
        root.patch("/users/me/profile_data", data=[{"id": field, "value": url}]),
        root.post("/realm/profile_fields", name="At", field_type=7, field_data=fields),
        root.post("/bots", full_name="B", short_name="b", bot_type=3, payload_url=f'"{url}"'),
        root.patch("/realm", jitsi_server_url=url),
    ]

    assert [each.status for each in refused] == [400] * 4
