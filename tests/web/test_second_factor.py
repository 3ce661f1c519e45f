"""A second factor beside the password: asked for on every way in by a password, and on no other."""

import html
import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from tests.support.browser import Browser, text_of
from tests.support.fake_smtp import text_in
from tests.support.second_factors import SESAME, code_of, secured
from tests.support.server import SECRET

from tertulia import domain, features, locale, storage
from tertulia.domain.people.invitations import Terms
from tertulia.domain.people.second_factors import STEP_SECONDS

ENGLISH = locale.texts("en")

CODE, SET_UP, DONE = "/accounts/login/code/", "/accounts/login/setup/", "/accounts/login/done/"
OWN = "/accounts/second_factor/"


def wrong_code(chat, secret):
    """What no app shows around now."""
    step = int(chat.server.clock() // STEP_SECONDS)
    shown = {domain.people.second_factors.code_at(secret, step + near) for near in range(-3, 4)}
    return min({f"{number:06}" for number in range(8)} - shown)


def field(page, name):
    (value,) = re.findall(rf'name="{name}" value="([^"]*)"', page.body.decode())
    return html.unescape(value)


def is_in(browser):
    return browser.calls("GET", "/users/me").status == 200


def requires(chat, wanted=True):
    owner = chat.person("boss", role="owner")
    owner.patch("/realm", require_second_factor=wanted).succeeds()


def test_login_requires_a_code_after_the_password(chat):
    ana, secret, _ = secured(chat)
    browser = Browser(chat)

    requested = browser.logs_in(ana.email, SESAME, next="/#inbox")
    before = is_in(browser)
    came = browser.submits(
        CODE, {"state": field(requested, "state"), "code": code_of(chat, secret)}
    )

    assert ENGLISH("login.second-step") in text_of(requested)
    assert not before
    assert came.headers["Location"] == "/#inbox"
    assert is_in(browser)


def test_a_code_is_valid_once_and_briefly(chat):
    ana, secret, _ = secured(chat)
    code = code_of(chat, secret)

    def tries(given):
        browser = Browser(chat)
        state = field(browser.logs_in(ana.email, SESAME), "state")
        return browser.submits(CODE, {"state": state, "code": given}).status

    assert tries(code) == 303
    assert tries(code) == 401
    old = code_of(chat, secret)
    chat.server.clock.move(seconds=3 * STEP_SECONDS)
    assert tries(old) == 401
    assert tries("") == 401
    assert tries(" ".join(code_of(chat, secret))) == 303


def test_a_recovery_code_is_valid_once(chat):
    ana, _, codes = secured(chat)
    browser = Browser(chat)

    requested = browser.logs_in(ana.email, SESAME)
    typed = codes[0].upper().replace("-", " ")
    first = browser.submits(CODE, {"state": field(requested, "state"), "code": typed})
    again = Browser(chat)
    requested = again.logs_in(ana.email, SESAME)
    second = again.submits(CODE, {"state": field(requested, "state"), "code": codes[0]})

    assert (first.status, second.status) == (303, 401)
    assert ana.get("/users/me/second_factor").succeeds()["recovery_codes_left"] == 9
    new = ana.post("/users/me/second_factor/recovery_codes", password=SESAME)
    assert codes[1] not in new.succeeds()["recovery_codes"]
    requested = again.logs_in(ana.email, SESAME)
    assert again.submits(CODE, {"state": field(requested, "state"), "code": codes[1]}).status == 401


def test_the_second_step_is_bound_to_the_browser(chat):
    ana, secret, _ = secured(chat)
    browser, other = Browser(chat), Browser(chat)
    state = field(browser.logs_in(ana.email, SESAME), "state")
    other.logs_in(ana.email, SESAME)
    half_way = Browser(chat, {"session": browser.cookies["login"]})

    stolen = other.submits(CODE, {"state": state, "code": code_of(chat, secret)})
    bare = Browser(chat).submits(CODE, {"state": state, "code": code_of(chat, secret)})
    made_up = browser.submits(CODE, {"state": "x", "code": code_of(chat, secret)})
    skipped = browser.submits(DONE, {"state": state})
    set_up = browser.submits(SET_UP, {"state": state})

    refused = [each.status for each in (stolen, bare, made_up, skipped, set_up)]
    assert refused == [400, 400, 400, 400, 400]
    assert not is_in(browser)
    assert not is_in(other)
    assert not is_in(half_way)


def test_the_second_step_expires_after_fifteen_minutes(chat):
    ana, secret, _ = secured(chat)
    browser = Browser(chat)
    state = field(browser.logs_in(ana.email, SESAME), "state")
    chat.server.clock.move(minutes=16)

    late = browser.submits(CODE, {"state": state, "code": code_of(chat, secret)})

    assert late.status == 400


def test_a_new_password_cancels_pending_logins(chat):
    ana, secret, _ = secured(chat)
    ben = chat.person("ben", password=SESAME)
    requires(chat)
    thief, other = Browser(chat), Browser(chat)
    requested, shown = thief.logs_in(ana.email, SESAME), other.logs_in(ben.email, SESAME)
    theirs = field(shown, "secret")

    for person in (ana, ben):
        person.patch("/settings", old_password=SESAME, new_password="lentils, always").succeeds()
    late = thief.submits(CODE, {"state": field(requested, "state"), "code": code_of(chat, secret)})
    given = {"state": field(shown, "state"), "secret": theirs, "code": code_of(chat, theirs)}
    set_up = other.submits(SET_UP, given)

    assert [late.status, set_up.status] == [400, 400]
    assert not is_in(thief)
    assert not ben.get("/users/me/second_factor").succeeds()["is_on"]


def test_wrong_codes_lock_the_account_for_a_while(chat):
    ana, secret, _ = secured(chat)
    browser = Browser(chat)
    page = browser.logs_in(ana.email, SESAME)
    for _ in range(5):
        wrong = wrong_code(chat, secret)
        page = browser.submits(CODE, {"state": field(page, "state"), "code": wrong})

    held = browser.submits(CODE, {"state": field(page, "state"), "code": code_of(chat, secret)})
    chat.write(features.second_factors.unlock, chat.server.vault, ana.id)
    free = browser.submits(CODE, {"state": field(held, "state"), "code": code_of(chat, secret)})

    assert held.status == 429
    assert "Try again in" in text_of(held)
    assert free.status == 303


def test_guesses_from_many_addresses_share_one_limit(chat):
    ana, _, _ = secured(chat)

    def guess(number):
        chat.write(
            features.second_factors.count_attempt,
            chat.server.vault,
            ana.id,
            f"10.0.0.{number}",
            False,
        )

    for number in range(features.second_factors.ALL_ADDRESSES):
        guess(number)
    with pytest.raises(Exception, match="rate limit"):
        guess(100)


def test_a_password_alone_gives_no_key_with_a_second_factor(chat):
    ana, _, _ = secured(chat)

    refused = chat.stranger.post("/fetch_api_key", username=ana.email, password=SESAME)
    wrong = chat.stranger.post("/fetch_api_key", username=ana.email, password="a guess")

    assert (refused.status, refused.json["code"]) == (401, "SECOND_FACTOR_REQUIRED")
    assert "browser" in refused.json["msg"]
    assert "api_key" not in refused.json
    assert wrong.json["code"] == "AUTHENTICATION_FAILED"


def test_apps_with_a_second_factor_log_in_through_the_browser(chat):
    plain = chat.stranger.get("/server_settings").succeeds()
    ana, secret, _ = secured(chat)
    (method,) = chat.stranger.get("/server_settings").succeeds()["external_authentication_methods"]
    browser, otp = Browser(chat), "0f" * 32

    page = browser.opens(f"{method['login_url']}?mobile_flow_otp={otp}")
    hidden = {"mobile_flow_otp": field(page, "mobile_flow_otp")}
    requested = browser.logs_in(ana.email, SESAME, **hidden)
    called = browser.submits(
        CODE, {"state": field(requested, "state"), "code": code_of(chat, secret)}
    )

    assert plain["external_authentication_methods"] == []
    assert method["name"] == "browser"
    assert "form-action 'self' zulip:" in requested.headers["Content-Security-Policy"]
    assert called.headers["Location"].startswith("zulip://login?")
    sealed = parse_qs(urlsplit(called.headers["Location"]).query)["otp_encrypted_api_key"][0]
    opened = bytes(a ^ b for a, b in zip(bytes.fromhex(sealed), bytes.fromhex(otp), strict=True))
    assert opened.decode() == ana.key
    assert "session" not in browser.cookies


def test_the_desktop_app_asks_for_the_code_once(chat):
    ana, secret, _ = secured(chat)
    browser, otp = Browser(chat), "0f" * 32

    requested = browser.logs_in(ana.email, SESAME, desktop_flow_otp=otp)
    shown = browser.submits(
        CODE, {"state": field(requested, "state"), "code": code_of(chat, secret)}
    )

    assert ENGLISH("login.back-to-app") in text_of(shown)


def test_single_sign_on_needs_no_second_factor(chat):
    ana, _, _ = secured(chat)
    requires(chat)
    claims = {"email": ana.email, "exp": int(time.time()) + 600}
    token = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET))

    chat.stranger.post("/jwt/fetch_api_key", token=token).succeeds()
    browser = Browser(chat)
    browser.submits("/accounts/login/jwt/", {"token": token})

    assert is_in(browser)


def test_a_required_second_factor_is_set_up_at_the_next_login(chat):
    ana = chat.person("ana", password=SESAME)
    here = Browser.of(ana)
    requires(chat)
    browser = Browser(chat)

    refused = chat.stranger.post("/fetch_api_key", username=ana.email, password=SESAME)
    shown = browser.logs_in(ana.email, SESAME, next="/#inbox")
    secret = field(shown, "secret")
    guess = {"state": field(shown, "state"), "secret": secret, "code": wrong_code(chat, secret)}
    wrong = browser.submits(SET_UP, guess)
    codes = browser.submits(
        SET_UP,
        {"state": field(wrong, "state"), "secret": secret, "code": code_of(chat, secret)},
    )
    before = is_in(browser)
    came = browser.submits(DONE, {"state": field(codes, "state")})

    assert refused.json["code"] == "SECOND_FACTOR_REQUIRED"
    assert is_in(here)  # who is in stays in
    assert "data:image/svg" in shown.body.decode()
    assert field(wrong, "secret") == secret
    assert (
        len(re.findall(r"<code>[a-z2-7]{4}(?:-[a-z2-7]{4}){3}</code>", codes.body.decode())) == 10
    )
    assert not before
    assert came.headers["Location"] == "/#inbox"
    assert is_in(browser)
    removing = ana.delete("/users/me/second_factor", password=SESAME)
    removing.fails("This organization requires a second factor.")
    assert ENGLISH("login.second-step") in text_of(Browser(chat).logs_in(ana.email, SESAME))


def test_new_users_set_up_a_required_second_factor_first(chat):
    requires(chat)
    link = chat.write(
        features.invitations.create_as_operator, chat.server.vault, None, Terms(), None
    )
    browser = Browser(chat)

    form = {"email": "cleo@example.com", "full_name": "Cleo", "password": "lentils, always"}
    shown = browser.submits(f"/join/{link}/", form)
    before = is_in(browser)
    secret = field(shown, "secret")
    given = {"state": field(shown, "state"), "secret": secret, "code": code_of(chat, secret)}
    codes = browser.submits(SET_UP, given)
    browser.submits(DONE, {"state": field(codes, "state")})

    assert not before
    assert is_in(browser)


def test_a_setup_completed_meanwhile_is_not_overwritten(chat):
    ana = chat.person("ana", password=SESAME)
    requires(chat)
    thief = Browser(chat)
    shown = thief.logs_in(ana.email, SESAME)
    mine = ana.post("/users/me/second_factor/secret").succeeds()["secret"]
    ana.post(
        "/users/me/second_factor/app", password=SESAME, secret=mine, code=code_of(chat, mine)
    ).succeeds()

    theirs = field(shown, "secret")
    late = thief.submits(
        SET_UP, {"state": field(shown, "state"), "secret": theirs, "code": code_of(chat, theirs)}
    )

    assert late.status == 400
    assert not is_in(thief)


def test_the_second_factor_page_works_without_scripts(chat):
    ana = chat.person("ana", password=SESAME)
    browser = Browser.of(ana)

    outside = Browser(chat).opens(OWN)
    off = browser.opens(OWN)
    shown = browser.opens(f"{OWN}app/")
    secret = field(shown, "secret")
    form = {"secret": secret, "password": SESAME}
    wrong = browser.submits(f"{OWN}app/", form | {"code": code_of(chat, secret), "password": "no"})
    made = browser.submits(f"{OWN}app/", form | {"code": code_of(chat, secret)})
    on = browser.opens(OWN)
    new = browser.submits(f"{OWN}recovery_codes/", {"password": SESAME})
    kept = browser.submits(f"{OWN}remove/", {"password": "no"})
    gone = browser.submits(f"{OWN}remove/", {"password": SESAME})

    assert outside.headers["Location"] == f"/login/?next={OWN}"
    assert ENGLISH("login.second-factor-off") in text_of(off)
    assert (wrong.status, field(wrong, "secret")) == (400, secret)
    assert ENGLISH("login.recovery-codes") in text_of(made)
    assert ENGLISH("login.codes-left", number=10) in text_of(on)
    assert ENGLISH("login.recovery-codes") in text_of(new)
    assert ENGLISH("login.password-incorrect") in text_of(kept)
    assert gone.headers["Location"] == f"{OWN}?removed"
    assert Browser(chat).logs_in(ana.email, SESAME).status == 303
    pages = (outside, off, shown, wrong, made, on, new)
    assert not any(b"<script" in page.body for page in pages)


@pytest.mark.parametrize(
    "given, problem",
    [
        ({"password": "a guess"}, "Wrong password!"),
        ({"secret": "AAAA"}, "This is no secret of ours."),
        ({"secret": "not base32!"}, "This is no secret of ours."),
        ({"code": "12345"}, "This code is wrong, too old, or was used already"),
    ],
    ids=str,
)
def test_a_wrong_code_does_not_complete_the_setup(chat, given, problem):
    ana = chat.person("ana", password=SESAME)
    secret = ana.post("/users/me/second_factor/secret").succeeds()["secret"]
    good = {"password": SESAME, "secret": secret, "code": code_of(chat, secret)}

    tried = ana.post("/users/me/second_factor/app", **good | given)

    assert tried.json["msg"] == problem
    assert not ana.get("/users/me/second_factor").succeeds()["is_on"]


def test_a_new_app_replaces_the_first(chat):
    ana, old, codes = secured(chat)
    new = ana.post("/users/me/second_factor/secret").succeeds()["secret"]

    given = {"password": SESAME, "secret": new, "code": code_of(chat, new)}
    replaced = ana.post("/users/me/second_factor/app", **given).succeeds()

    def tries(code):
        browser = Browser(chat)
        state = field(browser.logs_in(ana.email, SESAME), "state")
        return browser.submits(CODE, {"state": state, "code": code}).status

    assert replaced["recovery_codes"] == []
    assert tries(code_of(chat, old)) == 401
    assert tries(code_of(chat, new)) == 303
    assert tries(codes[3]) == 303


def test_administrators_remove_a_lost_second_factor(chat):
    ana, _, _ = secured(chat)
    boss, _, _ = secured(chat, "boss", role="owner")
    admin, ben = chat.person("admin", role="admin"), chat.person("ben")

    ben.delete(f"/users/{ana.id}/second_factor").fails("Insufficient permission")
    admin.delete(f"/users/{boss.id}/second_factor").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )
    admin.delete(f"/users/{ana.id}/second_factor").succeeds()

    assert Browser(chat).logs_in(ana.email, SESAME).status == 303
    assert ENGLISH("login.second-step") in text_of(Browser(chat).logs_in(boss.email, SESAME))
    acts = [each["act"] for each in admin.get("/realm/audit_log").succeeds()["entries"]]
    assert f"DELETE /users/{ana.id}/second_factor" in acts
    assert "POST /users/me/second_factor/app" in acts


def test_the_audit_log_has_wrong_attempts_without_the_code(chat):
    ana, secret, _ = secured(chat)
    admin, browser = chat.person("admin", role="admin"), Browser(chat)
    wrong = wrong_code(chat, secret)

    page = browser.logs_in(ana.email, SESAME)
    browser.submits(CODE, {"state": field(page, "state"), "code": wrong})
    ana.post("/users/me/second_factor/app", password="1234567890", secret="2" * 32, code=wrong)

    entries = admin.get("/realm/audit_log").succeeds()["entries"]
    assert ("login", ana.id, "SECOND_FACTOR_FAILED") in [
        (each["act"], each["actor_id"], each["result"]) for each in entries
    ]
    assert wrong not in str(entries)
    assert "1234567890" not in str(entries)


def test_the_owner_gets_one_mail_about_wrong_codes(mail_chat, smtp):
    """An attacker with many addresses knows the password: guessing can go on for long, and only
    a new password ends it."""
    email = f"ana@{mail_chat.host}.example"
    ana, _, _ = secured(mail_chat, email=email)
    smtp.last_mail_to(email, mail_chat)
    guess = features.second_factors.count_attempt

    for _ in range(4):
        mail_chat.write(guess, mail_chat.server.vault, ana.id, "10.0.0.1", True)
    before = smtp.mails_to(email)
    for number in range(1, 12):
        mail_chat.write(guess, mail_chat.server.vault, ana.id, f"10.0.0.{number}", True)
    mail_text = smtp.last_mail_to(email, mail_chat)
    ana.delete("/users/me/second_factor", password=SESAME).succeeds()
    after = smtp.last_mail_to(email, mail_chat)

    assert len(before) == 1
    assert "change your password at once" in text_in(mail_text)
    assert "no second factor any more" in after["Subject"]
    assert len(smtp.mails_to(email)) == 3


def test_the_owner_gets_a_mail_about_changes(mail_chat, smtp):
    email = f"ana@{mail_chat.host}.example"
    ana, _, _ = secured(mail_chat, email=email)

    on = smtp.last_mail_to(email, mail_chat)
    ana.delete("/users/me/second_factor", password=SESAME).succeeds()
    off = smtp.last_mail_to(email, mail_chat)

    assert "has a second factor" in on["Subject"]
    assert "no second factor any more" in off["Subject"]
    assert SESAME not in text_in(on)


def test_stored_secrets_and_codes_are_not_in_plain_text(chat):
    ana, secret, codes = secured(chat)

    def stored(tx):
        apps = tx.all("SELECT sealed FROM totp_secret WHERE user_id = :user", user=ana.id)
        rows = tx.all("SELECT code_hash FROM recovery_code WHERE user_id = :user", user=ana.id)
        return [bytes(row["sealed"]) for row in apps] + [bytes(row["code_hash"]) for row in rows]

    kept = chat.read(stored)

    assert len(kept) == 11
    assert not any(secret.encode() in each for each in kept)
    assert not any(code.encode() in each for code in codes for each in kept)


def test_rotating_the_server_secret_keeps_second_factors(chat):
    ana, secret, _ = secured(chat)
    other = domain.people.keys.Vault(b"another secret of the server")

    def opened(tx):
        features.key_rotation.reencrypt(tx, chat.server.vault, other)
        app = storage.people.second_factors.app(tx, ana.id)
        assert app is not None
        features.key_rotation.reencrypt(tx, other, chat.server.vault)
        return other.unseal(app.sealed)

    assert chat.write(opened) == secret
