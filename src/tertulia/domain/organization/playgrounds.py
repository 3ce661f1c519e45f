"""Code playgrounds: web sites that run the code of a message, by language."""

import msgspec

NAME_LENGTH = 40
LANGUAGE_LENGTH = 40
TEMPLATE_LENGTH = 2000
PER_ORGANIZATION = 200
CODE = "code"  # the variable of the URL template


class Playground(msgspec.Struct, frozen=True):
    id: int
    name: str
    language: str
    url_template: str


def bad_character(language: str) -> str | None:
    """The first character that is not allowed in the name of a language."""
    return next((each for each in language if not (each.isalnum() or each in " _+-./#")), None)
