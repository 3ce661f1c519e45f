"""Code playgrounds: web sites that run the code of a message, by language."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Self

import msgspec

from tertulia import actions, domain, events, markdown
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import BadUrlTemplate, InvalidForm, TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.lists import ListedPart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import Example, MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.storage.record import Record
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import UrlTemplate

MAX_PLAYGROUNDS = 200  # per organization
CODE = "code"  # the variable of the URL template

Name = Annotated[str, NoNul(), MaxLength(40)]
Language = Annotated[
    str,
    NoNul(),
    MaxLength(40),
    Doc("The programming language of the playground.", example="Python"),
]
Template = Annotated[
    str,
    NoNul(),
    MaxLength(2000),
    Doc("The URL, as an RFC 6570 template.", example="https://example.com/issues/{id}"),
]
PlaygroundId = Annotated[int, Doc("The id of the playground.", example=1)]


class Playground(Record, frozen=True, table="playground"):
    id: int
    name: str
    language: str
    url_template: str


def bad_character(language: str) -> str | None:
    """The first character that is not allowed in the name of a language."""
    return next((each for each in language if not (each.isalnum() or each in " _+-./#")), None)


def list_all(tx: Tx) -> list[Playground]:
    return Playground.where(tx, "id")


# --- events ---


class PlaygroundObject(msgspec.Struct, frozen=True):
    id: PlaygroundId
    name: Annotated[str, Doc("The name of the playground.")]
    pygments_language: Annotated[str, Doc("The programming language of the playground.")]
    url_template: UrlTemplate

    @classmethod
    def of(cls, playground: Playground) -> Self:
        return cls(playground.id, playground.name, playground.language, playground.url_template)


class PlaygroundsChanged(Event, frozen=True, kind="playgrounds_changed"):
    """A playground was added or removed. It contains all of them."""

    playgrounds: list[PlaygroundObject]

    class Wire(WireEvent, tag="realm_playgrounds"):
        realm_playgrounds: Annotated[list[PlaygroundObject], Doc("The code playgrounds.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire(self.playgrounds)


# --- actions ---


def add(tx: Tx, user: User, name: str, language: str, url_template: str) -> int:
    actions.groups.permissions.require_administrator(tx, user)
    playground_id = _insert(tx, name.strip(), language.strip(), url_template)
    _announce(tx)
    return playground_id


def add_imported(tx: Tx, name: str, language: str, url_template: str) -> bool:
    """Add an imported playground if it is valid here. Returns whether it was added."""
    try:
        _insert(tx, name, language, url_template)
    except BadRequest:
        return False
    return True


def delete(tx: Tx, user: User, playground_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    if not Playground.delete(tx, id=playground_id):
        raise BadRequest("Invalid playground", problem="invalid-playground")
    _announce(tx)


def _insert(tx: Tx, name: str, language: str, url_template: str) -> int:
    _check(name, language, url_template)
    if Playground.exists(tx, name=name, language=language):
        raise InvalidForm(
            "Realm playground with this Realm, Pygments language and Name already exists.",
            problem="playground-exists",
        )
    if Playground.count(tx) >= MAX_PLAYGROUNDS:
        raise TooMany("playgrounds", MAX_PLAYGROUNDS)
    return Playground.insert(tx, name=name, language=language, url_template=url_template)


def _check(name: str, language: str, url_template: str) -> None:
    bad = bad_character(language)
    if bad is not None:
        raise BadRequest(
            "Invalid character in language: {language}",
            problem="language-character-invalid",
            language=bad,
        )
    if not name:
        raise InvalidForm("This field cannot be blank.", "name", problem="form-field-empty")
    domain.names.check(name, "name")
    if not language:
        raise InvalidForm(
            "This field cannot be blank.", "pygments_language", problem="form-field-empty"
        )
    try:
        names = markdown.url_templates.check(url_template)
    except markdown.url_templates.InvalidTemplate:
        raise BadUrlTemplate("url_template") from None
    if not markdown.url_templates.beginning(url_template).startswith(("http://", "https://")):
        raise BadUrlTemplate("url_template")  # clients open it unchecked
    if CODE not in names:
        raise InvalidForm(
            'Missing the required variable "{variable}" in the URL template',
            problem="url-template-variable-missing",
            variable=CODE,
        )


def _announce(tx: Tx) -> None:
    known = [PlaygroundObject.of(each) for each in list_all(tx)]
    events.log.announce(tx, PlaygroundsChanged(known), to=Everyone())


# --- endpoints ---


class AddedPlayground(Reply):
    id: PlaygroundId


async def create(
    call: Call,
    *,
    name: Annotated[Name, Doc("The name.", example="Kitchen"), Example("Try it")],
    pygments_language: Language,
    url_template: Annotated[Template, Example("https://example.com/run/{code}")],
) -> AddedPlayground:
    """Create a code playground."""
    playground_id = await call.db.write(add, call.user, name, pygments_language, url_template)
    return AddedPlayground(playground_id)


async def remove(call: Call, playground_id: PlaygroundId) -> None:
    """Delete a code playground."""
    await call.db.write(delete, call.user, playground_id)


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for each in list_all(tx):
        yield {
            "id": each.id,
            "realm": tx.realm_id,
            "name": each.name,
            "pygments_language": each.language,
            "url_template": each.url_template,
        }


FEATURE = Feature(
    register={
        "realm_playgrounds": ListedPart(
            "playground",
            of_all_users=list_all,
            to_wire=PlaygroundObject.of,
            doc="The code playgrounds.",
        )
    },
    exports={"zerver_realmplayground": _exported},
    audit={"content": ["% /realm/playgrounds%"]},
)
