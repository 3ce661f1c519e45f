"""Linkifiers, which administrators manage, and their order."""

from tertulia import actions, events, markdown, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.linkifiers import PER_ORGANIZATION, Linkifier, LinkifierRule
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.organization import BadUrlTemplate, InvalidForm
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.linkifiers import LinkifierObject, LinkifiersChanged


def add(tx: Tx, user: User, rule: LinkifierRule) -> int:
    """Add a linkifier after all others."""
    actions.groups.permissions.require_administrator(tx, user)
    known = storage.organization.linkifiers.list_all(tx)
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many linkifiers (limit: {PER_ORGANIZATION})")
    _check(rule, known)

    linkifier_id = storage.organization.linkifiers.insert(tx, rule)
    _announce(tx)
    return linkifier_id


def add_imported(tx: Tx, rule: LinkifierRule) -> bool:
    """Add an imported linkifier if it is valid here. Returns whether it was added."""
    known = storage.organization.linkifiers.list_all(tx)
    try:
        _check(rule, known)
    except BadRequest:
        return False
    if len(known) >= PER_ORGANIZATION:
        return False
    storage.organization.linkifiers.insert(tx, rule)
    return True


def change(tx: Tx, user: User, linkifier_id: int, rule: LinkifierRule) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    others = [each for each in _including(tx, linkifier_id) if each.id != linkifier_id]
    _check(rule, others)

    storage.organization.linkifiers.update(tx, linkifier_id, rule)
    _announce(tx)


def remove(tx: Tx, user: User, linkifier_id: int) -> None:
    actions.groups.permissions.require_administrator(tx, user)
    _including(tx, linkifier_id)

    storage.organization.linkifiers.delete(tx, linkifier_id)
    _announce(tx)


def reorder(tx: Tx, user: User, linkifier_ids: list[int]) -> None:
    """Set the order in which they are tried; the list must name each of them once."""
    actions.groups.permissions.require_administrator(tx, user)
    if sorted(linkifier_ids) != sorted(
        each.id for each in storage.organization.linkifiers.list_all(tx)
    ):
        raise BadRequest("The ordered list must enumerate all existing linkifiers exactly once")

    storage.organization.linkifiers.set_order(tx, linkifier_ids)
    _announce(tx)


def _including(tx: Tx, linkifier_id: int) -> list[Linkifier]:
    """All linkifiers. Raises if the given one is not among them."""
    known = storage.organization.linkifiers.list_all(tx)
    if all(each.id != linkifier_id for each in known):
        raise BadRequest("Linkifier not found.")
    return known


def _check(rule: LinkifierRule, others: list[Linkifier]) -> None:
    try:
        groups = markdown.linkifiers.check(rule.pattern)
    except markdown.linkifiers.InvalidPattern as problem:
        raise InvalidForm(f"Bad regular expression: {problem}") from None
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
            f"Group '{min(names - groups)}' in URL template is not present in linkifier pattern."
        )
    if groups - names:
        raise InvalidForm(
            f"Group '{min(groups - names)}' in linkifier pattern is not present in URL template."
        )
    if any(each.rule.pattern == rule.pattern for each in others):
        raise InvalidForm("Realm filter with this Realm and Pattern already exists.")


def _announce(tx: Tx) -> None:
    known = [LinkifierObject.of(each) for each in storage.organization.linkifiers.list_all(tx)]
    events.log.announce(tx, LinkifiersChanged(known), to=Everyone())
