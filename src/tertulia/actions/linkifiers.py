"""Linkifiers: administrators decide what becomes a link, and in which order it is tried."""

from tertulia.actions import rights
from tertulia.domain.linkifiers import PER_ORGANIZATION, Linkifier, LinkifierRule
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.organization import (
    BadPattern,
    BadUrlTemplate,
    DuplicateLinkifier,
    GroupMissingInPattern,
    GroupMissingInTemplate,
)
from tertulia.events.audience import Everyone
from tertulia.events.log import announce
from tertulia.events.types.linkifiers import LinkifierObject, LinkifiersChanged
from tertulia.markdown import linkifiers as patterns
from tertulia.markdown import templates
from tertulia.storage import linkifiers
from tertulia.storage.tx import Tx


def add(tx: Tx, user: User, rule: LinkifierRule) -> int:
    """Link something new, after all that is linked already."""
    rights.require_administrator(tx, user)
    known = linkifiers.everything(tx)
    if len(known) >= PER_ORGANIZATION:
        raise BadRequest(f"Too many linkifiers (limit: {PER_ORGANIZATION})")
    _check(rule, known)

    linkifier_id = linkifiers.insert(tx, rule)
    _tell(tx)
    return linkifier_id


def change(tx: Tx, user: User, linkifier_id: int, rule: LinkifierRule) -> None:
    rights.require_administrator(tx, user)
    others = [each for each in _including(tx, linkifier_id) if each.id != linkifier_id]
    _check(rule, others)

    linkifiers.update(tx, linkifier_id, rule)
    _tell(tx)


def remove(tx: Tx, user: User, linkifier_id: int) -> None:
    rights.require_administrator(tx, user)
    _including(tx, linkifier_id)

    linkifiers.delete(tx, linkifier_id)
    _tell(tx)


def put_in_order(tx: Tx, user: User, linkifier_ids: list[int]) -> None:
    """Try them in this order from now on; the list names each of them once."""
    rights.require_administrator(tx, user)
    if sorted(linkifier_ids) != sorted(each.id for each in linkifiers.everything(tx)):
        raise BadRequest("The ordered list must enumerate all existing linkifiers exactly once")

    linkifiers.set_order(tx, linkifier_ids)
    _tell(tx)


def _including(tx: Tx, linkifier_id: int) -> list[Linkifier]:
    """All linkifiers, of which the given one must be one."""
    known = linkifiers.everything(tx)
    if all(each.id != linkifier_id for each in known):
        raise BadRequest("Linkifier not found.")
    return known


def _check(rule: LinkifierRule, others: list[Linkifier]) -> None:
    try:
        groups = patterns.check(rule.pattern)
    except patterns.InvalidPattern as problem:
        raise BadPattern(problem=str(problem)) from None
    try:
        names = templates.check(rule.url_template)
        for alternative in rule.alternative_url_templates:
            templates.check(alternative)
    except templates.InvalidTemplate:
        raise BadUrlTemplate() from None
    if names - groups:
        raise GroupMissingInPattern(name=min(names - groups))
    if groups - names:
        raise GroupMissingInTemplate(name=min(groups - names))
    if any(each.rule.pattern == rule.pattern for each in others):
        raise DuplicateLinkifier()


def _tell(tx: Tx) -> None:
    known = [LinkifierObject.of(each) for each in linkifiers.everything(tx)]
    announce(tx, LinkifiersChanged(known), to=Everyone())
