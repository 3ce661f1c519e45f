"""Commands for users who cannot log in, or should not be logged in."""

from urllib.parse import urlsplit

from tests.support.browser import Browser, text_of
from tests.support.cli_runner import CommandResult, Terminal
from tests.support.people import Chat, Person
from tests.support.server import SECRET

from tertulia import actions, domain, features, locale
from tertulia.domain.people.sessions import Browser as UserAgent
from tertulia.domain.people.user import Role

ENGLISH = locale.texts("en")


def runs(person: Person, command: str, *flags: str) -> CommandResult:
    chat = person.chat
    words = ("user", command, person.email, "--org", chat.realm.subdomain, *flags)
    return Terminal(chat.server.folder, chat.server.url).runs(*words, TERTULIA_SECRET=SECRET)


def logs_in(chat: Chat, person: Person, password: str) -> int:
    params = {"username": person.email, "password": password}
    return chat.stranger.post("/fetch_api_key", **params).status


def test_sessions_are_listed_and_ended(chat, ana, ben):
    hers, his = Browser.of(ana), Browser.of(ben)
    hostile = UserAgent("Lynx\x1b[2J", "192.0.2.7")
    chat.write(actions.people.sessions.start, ana.record, b"another", hostile)

    listed = runs(ana, "sessions")
    ended = runs(ana, "sessions", "--end")
    chat.server.catch_up()

    assert [line.split()[-2:] for line in listed.out.splitlines()] == [
        ["ADDRESS", "BROWSER"],
        ["192.0.2.7", "Lynx?[2J"],
        ["127.0.0.1", "Mozilla/5.0"],
    ]
    assert (ended.code, ended.err) == (0, f"Ana <{ana.email}> is logged out in all browsers.\n")
    assert runs(ana, "sessions").err == f"Ana <{ana.email}> is not logged in in any browser.\n"
    assert hers.calls("GET", "/users/me").status == 401
    his.calls("GET", "/users/me").succeeds()


def test_a_locked_name_can_be_unlocked(chat):
    ana = chat.person("ana", password="open sesame")
    for _ in range(actions.people.password_attempts.FROM_ONE_ADDRESS):
        assert logs_in(chat, ana, "a guess") == 401
    assert logs_in(chat, ana, "open sesame") == 429

    result = runs(ana, "unlock")

    assert (result.code, result.err) == (0, f"Ana <{ana.email}>: failed attempts cleared: 5.\n")
    assert logs_in(chat, ana, "open sesame") == 200


def test_a_lost_second_factor_can_be_removed(chat):
    ana = chat.person("ana", password="open sesame")
    secret = domain.people.second_factors.new_secret()
    step = int(chat.server.clock() // domain.people.second_factors.STEP_SECONDS)
    code = domain.people.second_factors.code_at(secret, step)
    given = (chat.server.vault, ana.record, secret, code, False)
    chat.write(features.second_factors.store_app, *given)
    assert logs_in(chat, ana, "open sesame") == 401

    shown = runs(ana, "second-factor")
    taken = runs(ana, "second-factor", "--reset")

    assert shown.out == "an app, 0 passkeys, 10 recovery codes left\n"
    assert taken.err == f"Ana <{ana.email}> has no second factor now.\n"
    assert logs_in(chat, ana, "open sesame") == 200


def test_an_ended_password_is_refused_and_its_owner_chooses_another(chat):
    ana, ben, boss = chat.people("ana", "ben", "boss", password="open sesame")
    chat.write(actions.people.roles.change, boss.record, Role.OWNER)
    admin, browser = chat.person("admin", role="admin"), Browser.of(ana)

    ben.delete(f"/users/{ana.id}/password").fails("Insufficient permission")
    admin.delete(f"/users/{boss.id}/password").fails(
        "Must be an organization owner", code="UNAUTHORIZED_PRINCIPAL"
    )
    for _ in range(2):
        admin.delete(f"/users/{ana.id}/password").succeeds()
    admin.delete(f"/users/{admin.id}/password").succeeds()

    def tries(password):
        params = {"username": ana.email, "password": password}
        return chat.stranger.post("/fetch_api_key", **params)

    assert tries("open sesame").fails(
        "Your password has been disabled and needs to be reset",
        code="PASSWORD_RESET_REQUIRED",
        status=401,
    )
    tries("a guess").fails(
        "Your username or password is incorrect", code="AUTHENTICATION_FAILED", status=401
    )
    page = Browser(chat).logs_in(ana.email, "open sesame")
    assert (page.status, ENGLISH("login.password-expired") in text_of(page)) == (401, True)
    assert browser.calls("GET", "/users/me").status == 401
    change = {"old_password": "open sesame", "new_password": "lentils, always lentils"}
    ana.patch("/settings", **change).fails("Wrong password!")
    assert logs_in(chat, ben, "open sesame") == 200

    link = admin.post(f"/users/{ana.id}/password_link").succeeds()["link"]
    chosen = Browser(chat).submits(urlsplit(link).path, {"password": change["new_password"]})
    assert chosen.headers["Location"] == "/login/?password_changed"
    assert logs_in(chat, ana, change["new_password"]) == 200


def test_an_operator_can_end_all_passwords(chat):
    ana, ben = chat.people("ana", "ben", password="open sesame")
    cleo = chat.person("cleo")

    one = runs(ana, "end-password")
    none = runs(cleo, "end-password")
    both = runs(ana, "end-password", "--all")
    words = ("user", "end-password", "--all", "--org", chat.realm.subdomain)
    everybody = Terminal(chat.server.folder, chat.server.url).runs(*words, TERTULIA_SECRET=SECRET)

    hint = "The server sends no mail: `tertulia user link EMAIL` prints a link.\n"
    assert one.err == f"Ana <{ana.email}> must choose a new password.\n{hint}"
    assert none.err == f"Cleo <{cleo.email}> has no password.\n{hint}"
    assert both.code == 2
    assert [line.split()[0] for line in everybody.err.splitlines()] == ["Ana", "Ben", "The"]
    assert [logs_in(chat, each, "open sesame") for each in (ana, ben)] == [401, 401]
