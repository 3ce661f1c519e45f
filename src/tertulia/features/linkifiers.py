"""Linkifiers: patterns that become links in messages and topics. Administrators manage them.

The core reads them from `storage/organization/linkifiers.py` when it renders a text.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar, Self

import msgspec

from tertulia import actions, events, markdown, storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.organization.linkifiers import (
    ALTERNATIVES,
    PATTERN_LENGTH,
    PER_ORGANIZATION,
    TEMPLATE_LENGTH,
    Linkifier,
    LinkifierRule,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.parameters import BadUrlTemplate, InvalidForm, TooMany
from tertulia.events.audience import Everyone
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.event import Event
from tertulia.features.feature import Export, Feature
from tertulia.http.parameter_rules import Id, MaxItems, MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.http.signatures import parameters_from
from tertulia.wire import Doc, WireEvent

LinkifierId = Annotated[int, Doc("The id of the linkifier.", example=2)]
Pattern = Annotated[
    str,
    NoNul,
    MaxLength(PATTERN_LENGTH),
    Doc("A regular expression (RE2).", example="#(?P<id>[0-9]+)"),
]
Template = Annotated[str, NoNul, MaxLength(TEMPLATE_LENGTH)]
Link = Annotated[
    Template,
    Doc("The URL, as an RFC 6570 template.", example="https://example.com/issues/{id}"),
]
Sample = Annotated[Template, Doc("A text that the pattern matches.")]
Reverse = Annotated[Template, Doc("The template that turns a URL back into the short form.")]
FURTHER = Doc("Further URL templates for the reverse conversion.")


# --- events ---


class LinkifierObject(msgspec.Struct, frozen=True):
    pattern: Pattern
    url_template: Link
    id: LinkifierId
    example_input: Sample | None
    reverse_template: Reverse | None
    alternative_url_templates: Annotated[list[str], FURTHER]

    @classmethod
    def of(cls, linkifier: Linkifier) -> Self:
        rule = linkifier.rule
        return cls(
            pattern=rule.pattern,
            url_template=rule.url_template,
            id=linkifier.id,
            example_input=rule.example_input,
            reverse_template=rule.reverse_template,
            alternative_url_templates=list(rule.alternative_url_templates),
        )


InOrder = Annotated[
    list[LinkifierObject], Doc("The linkifiers, in the order in which they are applied.")
]


class LinkifiersChanged(Event, frozen=True, kind="linkifiers_changed"):
    """The linkifiers or their order changed. It contains all of them."""

    touches: ClassVar[Invalidated] = Invalidated(linkifiers=True)

    linkifiers: list[LinkifierObject]

    class Wire(WireEvent, tag="realm_linkifiers"):
        realm_linkifiers: InOrder

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        # Compat: before feature level 176 linkifiers had no URL template; such clients get none.
        if to.options.capabilities.linkifier_url_template:
            yield self.Wire(self.linkifiers)


# --- actions ---


def add(tx: Tx, user: User, rule: LinkifierRule) -> int:
    """Add a linkifier after all others."""
    actions.groups.permissions.require_administrator(tx, user)
    linkifier_id = _insert(tx, rule)
    _announce(tx)
    return linkifier_id


def add_imported(tx: Tx, rule: LinkifierRule) -> bool:
    """Add an imported linkifier if it is valid here. Returns whether it was added."""
    try:
        _insert(tx, rule)
    except BadRequest:
        return False
    return True


def edit(tx: Tx, user: User, linkifier_id: int, rule: LinkifierRule) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    others = [each for each in _including(tx, linkifier_id) if each.id != linkifier_id]
    _check(rule, others)

    storage.organization.linkifiers.update(tx, linkifier_id, rule)
    _announce(tx)


def delete(tx: Tx, user: User, linkifier_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    _including(tx, linkifier_id)

    storage.organization.linkifiers.delete(tx, linkifier_id)
    _announce(tx)


def order(tx: Tx, user: User, linkifier_ids: list[int]) -> None:
    """Set the order in which they are tried; the list must name each of them once."""
    actions.groups.permissions.require_administrator(tx, user)
    if sorted(linkifier_ids) != sorted(
        each.id for each in storage.organization.linkifiers.list_all(tx)
    ):
        raise BadRequest(
            "The ordered list must enumerate all existing linkifiers exactly once",
            problem="invalid-order",
        )

    storage.organization.linkifiers.set_order(tx, linkifier_ids)
    _announce(tx)


def _insert(tx: Tx, rule: LinkifierRule) -> int:
    known = storage.organization.linkifiers.list_all(tx)
    if len(known) >= PER_ORGANIZATION:
        raise TooMany("linkifiers", PER_ORGANIZATION)
    _check(rule, known)
    return storage.organization.linkifiers.insert(tx, rule)


def _including(tx: Tx, linkifier_id: int) -> list[Linkifier]:
    """All linkifiers. Raises if the given one is not among them."""
    known = storage.organization.linkifiers.list_all(tx)
    if all(each.id != linkifier_id for each in known):
        raise BadRequest("Linkifier not found.", problem="linkifier-not-found")
    return known


def _check(rule: LinkifierRule, others: list[Linkifier]) -> None:
    try:
        groups = markdown.linkifiers.check(rule.pattern)
    except markdown.linkifiers.InvalidPattern as problem:
        raise InvalidForm(
            "Bad regular expression: {detail}", problem="bad-regular-expression", detail=problem
        ) from None
    try:
        names = markdown.url_templates.check(rule.url_template)
        for alternative in rule.alternative_url_templates:
            markdown.url_templates.check(alternative)
    except markdown.url_templates.InvalidTemplate:
        raise BadUrlTemplate() from None
    for template in (rule.url_template, *rule.alternative_url_templates):
        if not markdown.urls.is_allowed(markdown.url_templates.beginning(template)):
            raise BadUrlTemplate()  # clients fill it in too, and may not check its target
    if names - groups:
        raise InvalidForm(
            "Group '{name}' in URL template is not present in linkifier pattern.",
            problem="linkifier-group-missing-in-pattern",
            name=min(names - groups),
        )
    if groups - names:
        raise InvalidForm(
            "Group '{name}' in linkifier pattern is not present in URL template.",
            problem="linkifier-group-missing-in-url",
            name=min(groups - names),
        )
    if any(each.rule.pattern == rule.pattern for each in others):
        raise InvalidForm(
            "Realm filter with this Realm and Pattern already exists.", problem="linkifier-exists"
        )


def _announce(tx: Tx) -> None:
    known = [LinkifierObject.of(each) for each in storage.organization.linkifiers.list_all(tx)]
    events.log.announce(tx, LinkifiersChanged(known), to=Everyone())


# --- endpoints ---


class Linkifiers(Reply):
    linkifiers: InOrder


class AddedLinkifier(Reply):
    id: LinkifierId


async def list_linkifiers(call: Call) -> Linkifiers:
    """List the linkifiers, in order."""
    return Linkifiers([LinkifierObject.of(each) for each in call.org.linkifiers])


async def reorder(
    call: Call,
    *,
    ordered_linkifier_ids: Annotated[
        list[Id],
        MaxItems(2 * PER_ORGANIZATION),
        Doc("The ids of all linkifiers in the new order.", example=[2]),
    ],
) -> None:
    """Reorder the linkifiers."""
    await call.db.write(order, call.user, ordered_linkifier_ids)


def _rule(
    *,
    pattern: Pattern,
    url_template: Link,
    example_input: Sample | None = None,
    reverse_template: Reverse | None = None,
    alternative_url_templates: Annotated[list[Template], MaxItems(ALTERNATIVES), FURTHER]
    | None = None,
) -> LinkifierRule:
    alternatives = tuple(alternative_url_templates or ())
    return LinkifierRule(pattern, url_template, example_input, reverse_template, alternatives)


@parameters_from(_rule)
async def create(call: Call, **params: Any) -> AddedLinkifier:
    """Create a linkifier."""
    rule = _rule(**params)
    return AddedLinkifier(await call.db.write(add, call.user, rule))


@parameters_from(_rule)
async def change(call: Call, filter_id: LinkifierId, **params: Any) -> None:
    """Change a linkifier."""
    rule = _rule(**params)
    await call.db.write(edit, call.user, filter_id, rule)


async def remove(call: Call, filter_id: LinkifierId) -> None:
    """Delete a linkifier; links in existing messages stay."""
    await call.db.write(delete, call.user, filter_id)


class LinkifiersState(StatePart):
    realm_linkifiers: InOrder


def _state(view: View) -> LinkifiersState:
    known = view.org.linkifiers if view.options.capabilities.linkifier_url_template else []
    return LinkifiersState([LinkifierObject.of(each) for each in known])


def _exported(tx: Tx, export: Export) -> Iterator[dict[str, Any]]:
    for position, each in enumerate(storage.organization.linkifiers.list_all(tx)):
        yield {
            "id": each.id,
            "realm": tx.realm_id,
            **msgspec.to_builtins(each.rule),
            "order": position,
        }


FEATURE = Feature(
    state={"realm_linkifiers": _state},
    exports={"zerver_realmfilter": _exported},
    audit={"content": ["% /realm/linkifiers%", "% /realm/filters%"]},
)
