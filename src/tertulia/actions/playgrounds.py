"""Playgrounds: administrators say where the code of messages can be tried out."""

from tertulia.actions import rights
from tertulia.domain.playgrounds import CODE, PER_ORGANIZATION, bad_character
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.organization import (
    BadPlaygroundTemplate,
    BlankLanguage,
    BlankName,
    CodeMissingInTemplate,
    DuplicatePlayground,
)
from tertulia.events.audience import Everyone
from tertulia.events.log import announce
from tertulia.events.types.playgrounds import PlaygroundObject, PlaygroundsChanged
from tertulia.markdown import templates
from tertulia.storage import playgrounds
from tertulia.storage.tx import Tx


def add(tx: Tx, user: User, name: str, language: str, url_template: str) -> int:
    rights.require_administrator(tx, user)
    name, language = name.strip(), language.strip()
    _check(name, language, url_template)
    known = playgrounds.everything(tx)
    if any((each.language, each.name) == (language, name) for each in known):
        raise DuplicatePlayground()
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many playgrounds (limit: {PER_ORGANIZATION})")

    playground_id = playgrounds.insert(tx, name, language, url_template)
    _tell(tx)
    return playground_id


def remove(tx: Tx, user: User, playground_id: int) -> None:
    rights.require_administrator(tx, user)
    if not playgrounds.delete(tx, playground_id):
        raise BadRequest("Invalid playground")
    _tell(tx)


def _check(name: str, language: str, url_template: str) -> None:
    bad = bad_character(language)
    if bad is not None:
        raise BadRequest(f"Invalid character in language: {bad}")
    if not name:
        raise BlankName()
    if not language:
        raise BlankLanguage()
    try:
        names = templates.check(url_template)
    except templates.InvalidTemplate:
        raise BadPlaygroundTemplate() from None
    if CODE not in names:
        raise CodeMissingInTemplate()


def _tell(tx: Tx) -> None:
    known = [PlaygroundObject.of(each) for each in playgrounds.everything(tx)]
    announce(tx, PlaygroundsChanged(known), to=Everyone())
