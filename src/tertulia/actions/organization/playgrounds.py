"""Code playgrounds, which administrators manage."""

from tertulia import actions, domain, events, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.playgrounds import CODE, PER_ORGANIZATION
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.organization import BadUrlTemplate, InvalidForm
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.playgrounds import PlaygroundObject, PlaygroundsChanged


def add(tx: Tx, user: User, name: str, language: str, url_template: str) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    name, language = name.strip(), language.strip()
    _check(name, language, url_template)
    known = storage.organization.playgrounds.list_all(tx)
    if any((each.language, each.name) == (language, name) for each in known):
        raise InvalidForm(
            "Realm playground with this Realm, Pygments language and Name already exists."
        )
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many playgrounds (limit: {PER_ORGANIZATION})")

    playground_id = storage.organization.playgrounds.insert(tx, name, language, url_template)
    _announce(tx)
    return playground_id


def add_imported(tx: Tx, name: str, language: str, url_template: str) -> bool:
    """Add an imported playground if it is valid here. Returns whether it was added."""
    known = storage.organization.playgrounds.list_all(tx)
    try:
        _check(name, language, url_template)
    except BadRequest:
        return False
    is_known = any((each.language, each.name) == (language, name) for each in known)
    if is_known or len(known) >= PER_ORGANIZATION:
        return False
    storage.organization.playgrounds.insert(tx, name, language, url_template)
    return True


def remove(tx: Tx, user: User, playground_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    if not storage.organization.playgrounds.delete(tx, playground_id):
        raise BadRequest("Invalid playground")
    _announce(tx)


def _check(name: str, language: str, url_template: str) -> None:
    bad = domain.organization.playgrounds.bad_character(language)
    if bad is not None:
        raise BadRequest(f"Invalid character in language: {bad}")
    if not name:
        raise InvalidForm("This field cannot be blank.", "name")
    domain.names.check(name, "name")
    if not language:
        raise InvalidForm("This field cannot be blank.", "pygments_language")
    try:
        names = markdown.url_templates.check(url_template)
    except markdown.url_templates.InvalidTemplate:
        raise BadUrlTemplate("url_template") from None
    if not markdown.url_templates.beginning(url_template).startswith(("http://", "https://")):
        raise BadUrlTemplate("url_template")  # clients open it unchecked
    if CODE not in names:
        raise InvalidForm('Missing the required variable "code" in the URL template')


def _announce(tx: Tx) -> None:
    known = [PlaygroundObject.of(each) for each in storage.organization.playgrounds.list_all(tx)]
    events.log.announce(tx, PlaygroundsChanged(known), to=Everyone())
