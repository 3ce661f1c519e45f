"""Languages that have a catalogue."""

from pathlib import Path

FOLDER = Path(__file__).parent
ENGLISH = "en"
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.po")))
RIGHT_TO_LEFT = ("ar",)


def closest(code: str) -> str:
    """The catalogue for a language such as `pt-br`; English if there is none."""
    base = code.replace("_", "-").partition("-")[0].lower()
    return base if base in LANGUAGES else ENGLISH


def accepted(accept_language: str | None) -> str:
    """The first language of an Accept-Language header that has a catalogue."""
    for wanted in (accept_language or "").lower().split(","):
        name = wanted.partition(";")[0].strip().partition("-")[0]
        if name in LANGUAGES:
            return name
    return ENGLISH


def direction(language: str) -> str:
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"
