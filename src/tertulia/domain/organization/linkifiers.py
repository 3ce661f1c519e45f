"""Linkifiers: an organization's patterns that become links, such as `BUG-12`."""

import msgspec

PATTERN_LENGTH = 600  # characters of any script; the limit of a database index
TEMPLATE_LENGTH = 2000
ALTERNATIVES = 100
PER_ORGANIZATION = 200


class LinkifierRule(msgspec.Struct, frozen=True):
    """A pattern and its URL template. The other fields are for clients only."""

    pattern: str
    url_template: str
    example_input: str | None = None
    reverse_template: str | None = None
    alternative_url_templates: tuple[str, ...] = ()


class Linkifier(msgspec.Struct, frozen=True):
    id: int
    rule: LinkifierRule
