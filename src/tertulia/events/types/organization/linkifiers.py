"""Linkifiers in API format, and their event."""

from collections.abc import Iterable
from typing import ClassVar, Self

import msgspec

from tertulia.domain.organization.linkifiers import Linkifier
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class LinkifierObject(msgspec.Struct, frozen=True):
    pattern: str
    url_template: str
    id: int
    example_input: str | None
    reverse_template: str | None
    alternative_url_templates: list[str]

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


class LinkifiersChanged(Event, frozen=True):
    """The linkifiers or their order changed. It contains all of them."""

    kind: ClassVar[str] = "linkifiers_changed"
    types: ClassVar[tuple[str, ...]] = ("realm_linkifiers",)
    touches: ClassVar[Invalidated] = Invalidated(linkifiers=True)

    linkifiers: list[LinkifierObject]

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        # Compat: before feature level 176 linkifiers had no URL template; such clients get none.
        if to.options.capabilities.linkifier_url_template:
            yield {"type": "realm_linkifiers", "realm_linkifiers": self.linkifiers}
