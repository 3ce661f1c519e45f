"""The operator's page: who may open it, what it shows, the check and the support bundle."""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from tests.support.axe import violations
from tests.support.browser import Browser, text_of
from tests.support.browser_user import address
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases, Kind
from tests.support.people import Chat

from tertulia import domain, locale
from tertulia.domain.server_report import Sample
from tertulia.log import log
from tertulia.web.operator import plots, tiles

MINUTE, HOUR, DAY = 60, 3600, 86_400


@pytest.fixture
def terminal(kind: Kind, databases: Databases) -> Iterator[Terminal]:
    url, folder = databases.new(kind)
    terminal = Terminal(folder, url)
    yield terminal
    terminal.close()


def token(chat, seconds=HOUR):
    return domain.operator_token.create(chat.server.vault, chat.server.clock() + seconds)


def test_a_link_with_a_token_opens_the_page_and_keeps_it_open_for_a_while(own_chat):
    browser = Browser(own_chat)

    assert browser.opens("/operator/").status == 403
    opened = browser.opens(f"/operator/?token={token(own_chat)}")
    assert (opened.status, opened.headers["Location"]) == (303, "/operator/")
    assert "HttpOnly" in opened.headers["Set-Cookie"]
    page = browser.opens("/operator/")
    assert page.status == 200
    assert page.headers["Cache-Control"] == "no-store"

    own_chat.server.clock.move(hours=11)
    assert browser.opens("/operator/").status == 200
    own_chat.server.clock.move(hours=2)
    assert browser.opens("/operator/").status == 403


def page_errors(operator):
    found = json.loads(operator.opens("/operator/status.json").body)["log_events"]
    return Counter({event: each["count"] for event, each in found.items() if "page_error" in event})


def test_errors_of_the_page_are_counted_by_place_without_texts(own_chat):
    operator = Browser(own_chat)
    operator.opens(f"/operator/?token={token(own_chat)}")
    before = page_errors(operator)  # other servers of this process count, too
    at_anas = Browser.of(own_chat.person("ana"))
    counts = {"initial-en-abc.js:3:41": 2, "unknown": 1, "see you at 8": 1, "x.js:1:1": -5}
    for browser in (at_anas, at_anas, Browser(own_chat)):
        sent = browser.submits("/page-errors", {"places": json.dumps(counts)})
        assert sent.status == 204
    assert at_anas.submits("/page-errors", {"places": "["}).status == 400

    shown = text_of(operator.opens("/operator/"))

    assert page_errors(operator) - before == {
        "web.page_error initial-en-abc.js:3:41": 4,
        "web.page_error unknown": 2,
    }
    assert "web.page_error initial-en-abc.js:3:41 The page in a browser" in shown


def test_the_cookie_of_a_session_opens_no_longer_one(own_chat):
    opened = Browser(own_chat).opens(f"/operator/?token={token(own_chat)}")
    cookie = opened.headers["Set-Cookie"].partition("=")[2].partition(";")[0]

    assert Browser(own_chat, {"operator": cookie}).opens("/operator/").status == 200
    assert Browser(own_chat).opens(f"/operator/?token={cookie}").status == 403
    bearer = Browser(own_chat, headers={"Authorization": f"Bearer {cookie}"})
    assert bearer.opens("/operator/status.json").status == 403


@pytest.mark.parametrize("path", ["/operator/", "/operator/status.json"])
def test_wrong_and_expired_tokens_open_nothing(own_chat, path):
    good = token(own_chat)
    expiry, _, signature = good.partition("-")
    wrong = [
        "",
        "x",
        f"{int(expiry) + 9}-{signature}",
        token(own_chat, -1),
        f"{expiry}-",
        "9" * 300,
    ]

    for each in wrong:
        assert Browser(own_chat).opens(f"{path}?token={each}").status == 403, each
        bearer = Browser(own_chat, headers={"Authorization": f"Bearer {each}"})
        assert bearer.opens(path).status == 403, each
        assert Browser(own_chat, {"operator": each}).opens(path).status == 403, each
    bearer = Browser(own_chat, headers={"Authorization": f"Bearer {good}"})
    assert bearer.opens(path).status == 200


def test_named_owners_open_the_page_with_their_login(start_server):
    server = start_server(operators=("root@example.com", "Boss@example.com", "ana@example.com"))
    chat, other = Chat.found(server, ""), Chat.found(server, "other")
    people = {
        "named": chat.person("boss", role="owner"),
        "not named": chat.person("eve", role="owner"),
        "no owner": chat.person("ana", role="admin"),
        "elsewhere": other.person("root", role="owner"),
    }

    seen = {who: Browser.of(person).opens("/operator/").status for who, person in people.items()}

    assert seen == {"named": 200, "not named": 403, "no owner": 403, "elsewhere": 403}


def test_another_site_cannot_start_a_check(own_chat):
    browser = Browser(own_chat)
    browser.opens(f"/operator/?token={token(own_chat)}")

    crossed = browser.submits("/operator/check", None, **{"Sec-Fetch-Site": "cross-site"})

    assert crossed.status == 403
    assert "another site" in text_of(crossed)


def test_the_page_shows_the_state_of_each_part_in_two_languages(own_chat):
    ana = own_chat.person("ana", channels=["kitchen"])
    ana.says("a secret recipe", to="kitchen > lunch")
    server = own_chat.server
    for _ in range(2):
        server.run_job("status report")
        server.clock.move(minutes=5)
    log.warning("mail.given_up", address="x")
    browser = Browser(own_chat)
    browser.opens(f"/operator/?token={token(own_chat)}")

    english = browser.opens("/operator/")
    spanish = browser.opens("/operator/", **{"Accept-Language": "es"})

    seen = text_of(english)
    for words in ("Backup Look None yet", "Writes Good", "Mail Off", "Last 24 hours", "leader"):
        assert words in seen, words
    assert re.search(r"mail\.given_up .*? \d+ \u206620\d\d-", seen)
    assert "a secret recipe" not in seen
    assert english.body.count(b'<path class="l1" d="M') == 4
    assert "Copia de seguridad Revisar Aún no hay" in text_of(spanish)


def test_the_first_request_measures_what_no_report_has_yet(own_chat):
    browser = Browser(own_chat)
    browser.opens(f"/operator/?token={token(own_chat)}")

    seen = text_of(browser.opens("/operator/"))

    assert re.search(r"Writes Good \d+ ms Last test write \d+ seconds? ago", seen)
    assert re.search(r"Database Good (SQLite 3|PostgreSQL 1)", seen)
    assert "Not measured yet" not in seen


def test_the_page_leads_back_to_the_organization_of_its_host(own_chat):
    browser = Browser(own_chat)
    browser.opens(f"/operator/?token={token(own_chat)}")

    english = browser.opens("/operator/")
    arabic = browser.opens("/operator/", **{"Accept-Language": "ar"}).body.decode()

    name = own_chat.person("ana").get("/server_settings").json["realm_name"]
    assert f"{name} Server Organization Back to the chat" in text_of(english)
    links = re.findall('<a class="b" href="([^"]*)"', english.body.decode())
    assert links[:2] == ["/#organization", "/"]
    assert '<html lang="ar" dir="rtl">' in arabic


def test_the_status_as_json(own_chat):
    server = own_chat.server
    ana = own_chat.person("ana", channels=["kitchen"])
    server.run_job("status report")
    for _ in range(10):
        ana.says("soup", to="kitchen > lunch")
    server.clock.move(minutes=5)
    server.run_job("status report")
    bearer = Browser(own_chat, headers={"Authorization": f"Bearer {token(own_chat)}"})

    found = bearer.opens("/operator/status.json").json

    assert found["parts"]["writes"]["state"] == "good"
    assert found["parts"]["backup"] == {
        "state": "look",
        "age_seconds": None,
        "bytes": 0,
        "reason": "",
        "has_failed": False,
    }
    (one,) = found["servers"]
    assert one["database"].startswith(("SQLite 3", "PostgreSQL 1"))
    assert one["memory_bytes"] > 1e6
    assert found["queues"]["mail"] == 0
    assert [each["sent_messages"] for each in found["samples"]] == [0, 10]
    assert sum(found["samples"][1]["response_times"]) >= 10


def test_slow_requests_are_listed_without_their_parameters(own_chat):
    server = own_chat.server
    server.count_response("GET", "/messages/{message_id}", 200, 3.21)
    server.count_response("GET", "/events", 200, 60.0)
    server.count_response("GET", "/messages", 200, 0.9)
    bearer = Browser(own_chat, headers={"Authorization": f"Bearer {token(own_chat)}"})

    (slow,) = bearer.opens("/operator/status.json").json["slow_requests"]

    assert (slow["route"], slow["seconds"]) == ("/messages/{message_id}", 3.21)


def opens(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


SECRETS = {
    "smtp_password": "paella-by-mail-1",
    "s3_secret": "paella-in-buckets-2",
    "push_service_key": "paella-on-phones-3",
    "bigbluebutton_secret": "paella-in-calls-4",
    "nextcloud_password": "paella-in-talk-5",
}
CONTENTS = {
    "smtp_user": "postmaster-of-the-house",
    "smtp_from": "house@lentils.example",
    "external_url": "https://lentils.example",
    "acme_email": "certificates@lentils.example",
    "organization": "Lentil Lovers",
}


def test_the_support_bundle_has_no_contents_and_no_secrets(terminal):
    terminal.data.mkdir(parents=True, exist_ok=True)
    settings = {**SECRETS, **{k: v for k, v in CONTENTS.items() if k != "external_url"}}
    lines = [f'{name} = "{value}"' for name, value in settings.items()]
    ldap = [
        "[[ldap]]",
        'name = "corp-paella"',
        'url = "ldap://127.0.0.1:1"',
        'base = "dc=lentils"',
        'bind_dn = "cn=paella"',
        'bind_password = "paella-in-ldap-6"',
    ]
    (terminal.data / "tertulia.toml").write_text("\n".join([*lines, *ldap]))
    server = terminal.serves()
    who = terminal.adds("zenobia", "--role", "owner")
    words = {"type": "direct", "to": '["zenobia@example.com"]', "content": "ropa vieja at nine"}
    assert server.asks("POST", "/messages", who=who, **words)[0] == 200
    server.asks("POST", "/users/me/subscriptions", who=who, subscriptions='[{"name": "azafrán"}]')
    link = terminal.runs("operator-link")
    assert link.code == 0, link.err
    given = re.search("token=(.*)", link.out)
    assert given is not None

    status, packed = opens(
        server.port, "/operator/support-bundle.zip", Authorization=f"Bearer {given[1]}"
    )

    assert status == 200
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    secret = (terminal.data / "secret").read_text().strip()
    forbidden = [
        *SECRETS.values(),
        *CONTENTS.values(),
        *(secret, who.partition(":")[2], given[1], "paella", "lentil", "zenobia", "Zenobia"),
        *("ropa vieja", "azafr", str(terminal.data), "127.0.0.1"),
    ]
    for name, content in files.items():
        for text in forbidden:
            assert text not in content, f"{name} has {text}"
    shown = json.loads(files["settings.json"])
    assert (shown["smtp_password"], shown["smtp_port"]) == ("set", 587)
    assert shown["login_providers"] == {"ldap": 1}
    assert json.loads(files["check.json"])["logging in"] >= 1
    assert "tertulia_requests_total" in files["metrics.txt"]
    assert json.loads(files["status.json"])["parts"]


def test_the_check_shows_what_it_found(terminal):
    server = terminal.serves("--smtp-host", "127.0.0.1", "--external-url", "http://127.0.0.1")
    terminal.adds("ana")
    given = re.search("token=(.*)", terminal.runs("operator-link").out)
    assert given is not None
    headers = {"Authorization": f"Bearer {given[1]}", "Sec-Fetch-Site": "same-origin"}

    status, page = opens(server.port, "/operator/check", "POST", **headers)

    seen = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.decode()))
    assert status == 200
    assert "Problems found: " in seen
    assert "127.0.0.1:587 cannot be used" in seen
    assert "schema version" in seen


def test_the_page_is_accessible_and_fits_a_phone(browse, page_chat):
    at_page = browse(None)
    server = page_chat.server
    server.run_job("status report")
    at_page.page.goto(address(page_chat, f"/operator/?token={token(page_chat)}"))

    assert at_page.page.get_by_role("list", name="Health").get_by_role("listitem").count() == 11
    found = violations(at_page.page, "operator")
    at_page.page.set_viewport_size({"width": 360, "height": 640})
    is_narrow = "document.documentElement.scrollWidth <= 360"
    assert at_page.page.evaluate(is_narrow)
    assert not found


def test_buttons_are_large_on_a_phone_and_plots_run_from_left_to_right_in_arabic(browse, page_chat):
    at_page = browse(None, viewport={"width": 390, "height": 844}, locale="ar")
    page = at_page.page
    page.goto(address(page_chat, f"/operator/?token={token(page_chat)}"))

    heights = page.locator(".top-line .b").evaluate_all("all => all.map(b => b.offsetHeight)")
    ticks = page.locator(".plot .x").first.locator("span")
    first, last = ticks.first.bounding_box(), ticks.last.bounding_box()

    assert heights == [44, 44]
    assert first is not None
    assert last is not None
    assert first["x"] < last["x"]
    writes = page.locator("#part-writes .v bdi")
    assert re.fullmatch(r"\d+ ms", writes.inner_text())


# --- plots and words ---


def sample(at, **facts):
    known: dict[str, Any] = dict.fromkeys(Sample.__struct_fields__, 0)
    return Sample(**known | {"at": at, "response_times": [0] * 11} | facts)


def test_a_plot_adds_up_the_servers_and_ends_at_the_newest_sample():
    now = 1_800_000_000.0
    samples = [
        sample(now - DAY, connections=10),
        sample(now - DAY, connections=20),
        sample(now - DAY / 2, connections=60),
        sample(now, connections=15),
    ]

    plot = plots.of_connections(samples, now)

    (line,) = plot.lines
    assert (plot.top, line.now, line.maximum) == (60, 15, 60)
    assert line.path == "M0.0 48.0L300.0 0.0L600.0 72.0"
    assert line.area == line.path + "L600.0 96L0.0 96Z"


def test_a_plot_says_when_its_line_was_highest():
    noon = 1_800_014_400.0
    samples = [sample(noon - HOUR, connections=9), sample(noon, connections=3)]

    (line,) = plots.of_connections(samples, noon).lines

    assert (line.maximum, plots.hour(line.maximum_at)) == (9, "11:00")


def test_a_single_sample_is_a_dot():
    now = 1_800_000_000.0

    (line,) = plots.of_connections([sample(now, connections=4)], now).lines

    assert (line.path, line.is_dot) == ("M600.0 0.0h0", True)


def test_messages_are_per_minute():
    plot = plots.of_messages([sample(0.0, sent_messages=50)], 0.0)

    assert plot.lines[0].now == 10


@pytest.mark.parametrize(
    ("counts", "share", "expected"),
    [
        ([0] * 11, 0.5, 0),
        ([10] + [0] * 10, 0.5, 0.5),
        ([0, 10] + [0] * 9, 1.0, 2.5),
        ([99, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], 0.99, 1.0),
        ([0] * 10 + [5], 0.99, 5000),
    ],
)
def test_percentiles_are_interpolated_within_a_bucket(counts, share, expected):
    assert plots.percentile(counts, share) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "expected"), [(0, 2), (2, 2), (3, 4), (9, 10), (11, 20), (139, 200), (0.5, 2)]
)
def test_the_top_of_an_axis_is_a_round_number(value, expected):
    assert plots.round_up(value) == expected


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (90, "90 seconds"),
        (26 * HOUR, "26 hours"),
        (61 * DAY, "61 days"),
    ],
)
def test_durations_in_words(seconds, words):
    assert tiles.duration(seconds, locale.texts("en")) == words
