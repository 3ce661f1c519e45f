"""Linkifiers: an organization's own patterns that become links, such as `BUG-12`."""

import msgspec

PATTERN_LENGTH = 600  # of any letters, this is as much as an index takes
TEMPLATE_LENGTH = 2000
ALTERNATIVES = 100
PER_ORGANIZATION = 200


class LinkifierRule(msgspec.Struct, frozen=True):
    """What is linked and where to. All but the first two is for clients alone."""

    pattern: str
    url_template: str
    example_input: str | None = None
    reverse_template: str | None = None
    alternative_url_templates: tuple[str, ...] = ()


class Linkifier(msgspec.Struct, frozen=True):
    id: int
    rule: LinkifierRule
