"""Linkifiers: patterns that become links in messages and topics."""

from typing import Annotated, Any

from tertulia import actions
from tertulia.api.call import Call
from tertulia.domain.organization.linkifiers import (
    ALTERNATIVES,
    PATTERN_LENGTH,
    PER_ORGANIZATION,
    TEMPLATE_LENGTH,
    LinkifierRule,
)
from tertulia.events.types.organization.linkifiers import LinkifierObject
from tertulia.http.parameter_rules import Id, MaxItems, MaxLength, NoNul
from tertulia.http.replies import Reply
from tertulia.http.signatures import parameters_from

Pattern = Annotated[str, NoNul(), MaxLength(PATTERN_LENGTH)]
Template = Annotated[str, NoNul(), MaxLength(TEMPLATE_LENGTH)]
Templates = Annotated[list[Template], MaxItems(ALTERNATIVES)]
Ids = Annotated[list[Id], MaxItems(2 * PER_ORGANIZATION)]


class Linkifiers(Reply):
    linkifiers: list[LinkifierObject]


class AddedLinkifier(Reply):
    id: int


async def list_linkifiers(call: Call) -> Linkifiers:
    """List the linkifiers, in order."""
    return Linkifiers([LinkifierObject.of(each) for each in call.org.linkifiers])


async def reorder(call: Call, *, ordered_linkifier_ids: Ids) -> None:
    """Reorder the linkifiers."""
    await call.db.write(actions.organization.linkifiers.reorder, call.user, ordered_linkifier_ids)


def _rule(
    *,
    pattern: Pattern,
    url_template: Template,
    example_input: Template | None = None,
    reverse_template: Template | None = None,
    alternative_url_templates: Templates | None = None,
) -> LinkifierRule:
    alternatives = tuple(alternative_url_templates or ())
    return LinkifierRule(pattern, url_template, example_input, reverse_template, alternatives)


@parameters_from(_rule)
async def add(call: Call, **params: Any) -> AddedLinkifier:
    """Create a linkifier."""
    rule = _rule(**params)
    return AddedLinkifier(await call.db.write(actions.organization.linkifiers.add, call.user, rule))


@parameters_from(_rule)
async def change(call: Call, filter_id: int, **params: Any) -> None:
    """Change a linkifier."""
    rule = _rule(**params)
    await call.db.write(actions.organization.linkifiers.change, call.user, filter_id, rule)


async def remove(call: Call, filter_id: int) -> None:
    """Delete a linkifier; links in existing messages stay."""
    await call.db.write(actions.organization.linkifiers.remove, call.user, filter_id)
