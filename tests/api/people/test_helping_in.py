"""What an operator does for somebody who cannot get in, or who is in where they should not be."""

from tests.support.browser import Browser
from tests.support.people import Chat, Person
from tests.support.server import SECRET
from tests.support.terminal import Said, Terminal

from tertulia import actions, domain
from tertulia.domain.people.sessions import Browser as UserAgent


def runs(person: Person, command: str, *flags: str) -> Said:
    chat = person.chat
    words = ("user", command, person.email, "--org", chat.realm.subdomain, *flags)
    return Terminal(chat.server.folder, chat.server.url).runs(*words, TERTULIA_SECRET=SECRET)


def logs_in(chat: Chat, person: Person, password: str) -> int:
    params = {"username": person.email, "password": password}
    return chat.stranger.post("/fetch_api_key", **params).status


def test_sessions_are_listed_and_ended(chat):
    ana, ben = chat.people("ana", "ben")
    hers, his = Browser.of(ana), Browser.of(ben)
    hostile = UserAgent("Lynx\x1b[2J", "192.0.2.7")
    chat.write(actions.people.sessions.begin, ana.record, b"another", hostile)

    listed = runs(ana, "sessions")
    ended = runs(ana, "sessions", "--end")
    chat.server.do(chat.server.application.delivery.follower.catch_up())

    assert [line.split()[-2:] for line in listed.out.splitlines()] == [
        ["ADDRESS", "BROWSER"],
        ["192.0.2.7", "Lynx?[2J"],
        ["127.0.0.1", "Mozilla/5.0"],
    ]
    assert (ended.code, ended.err) == (0, f"Ana <{ana.email}> is logged out everywhere.\n")
    assert runs(ana, "sessions").err == f"Ana <{ana.email}> is logged in nowhere.\n"
    assert hers.calls("GET", "/users/me").status == 401
    his.calls("GET", "/users/me").succeeds()


def test_whoever_tried_too_often_is_let_try_again(chat):
    ana = chat.person("ana", password="open sesame")
    for _ in range(actions.people.password_attempts.FROM_ONE_ADDRESS):
        assert logs_in(chat, ana, "a guess") == 401
    assert logs_in(chat, ana, "open sesame") == 429

    said = runs(ana, "unlock")

    assert (said.code, said.err) == (0, f"Ana <{ana.email}>: attempts forgotten: 5.\n")
    assert logs_in(chat, ana, "open sesame") == 200


def test_a_second_factor_that_was_lost_is_taken_away(chat):
    ana = chat.person("ana", password="open sesame")
    secret = domain.people.second_factors.new_secret()
    step = int(chat.server.clock() // domain.people.second_factors.STEP_SECONDS)
    code = domain.people.second_factors.code_at(secret, step)
    given = (chat.server.vault, ana.record, secret, code, False)
    chat.write(actions.people.second_factors.set_up_app, *given)
    assert logs_in(chat, ana, "open sesame") == 401

    shown = runs(ana, "second-factor")
    taken = runs(ana, "second-factor", "--reset")

    assert shown.out == "an app, 0 passkeys, 10 recovery codes left\n"
    assert taken.err == f"Ana <{ana.email}> has no second factor now.\n"
    assert logs_in(chat, ana, "open sesame") == 200
