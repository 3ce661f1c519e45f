"""Users with a TOTP app."""

from typing import Any

from tests.support.people import Chat, Person

from tertulia import domain
from tertulia.domain.people.second_factors import STEP_SECONDS

SESAME = "open sesame"


def code_of(chat: Chat, secret: str) -> str:
    """What an app would show now; each one is good once, so time goes on."""
    chat.server.clock.move(seconds=STEP_SECONDS)
    step = int(chat.server.clock() // STEP_SECONDS)
    return domain.people.second_factors.code_at(secret, step)


def secured(chat: Chat, name: str = "ana", **about: Any) -> tuple[Person, str, list[str]]:
    """A user with a TOTP app: the user, its secret, and recovery codes."""
    person = chat.person(name, password=SESAME, **about)
    secret = person.post("/users/me/second_factor/secret").succeeds()["secret"]
    made = person.post(
        "/users/me/second_factor/app", password=SESAME, secret=secret, code=code_of(chat, secret)
    )
    return person, secret, made.succeeds()["recovery_codes"]
