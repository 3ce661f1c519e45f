"""Playgrounds: web sites where the code of a message can be tried out, by its language."""

import msgspec

NAME_LENGTH = 40
LANGUAGE_LENGTH = 40
TEMPLATE_LENGTH = 2000
PER_ORGANIZATION = 200
CODE = "code"  # the part of the address that the code takes


class Playground(msgspec.Struct, frozen=True):
    id: int
    name: str
    language: str
    url_template: str


def bad_character(language: str) -> str | None:
    """The first character that no language has in its name."""
    return next((each for each in language if not (each.isalnum() or each in " _+-./#")), None)
