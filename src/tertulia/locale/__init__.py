"""Texts that people read: one catalogue per language, `en.po`, `de.po`, found by a key.

    t = locale.texts("de")
    t("mail.hello-name", name="Ana")
    t("public.votes", count=3)

Every text is in `en.po`. Another language may lag: a text that it lacks, or that was translated
from other English words, is shown in English. A catalogue is read when its language is first
needed.
"""

from tertulia.locale.lookup import (
    ENGLISH,
    LANGUAGES,
    PLACEHOLDER,
    DateForm,
    Texts,
    accepted,
    catalogue,
    closest,
    current_catalogue,
    direction,
    texts,
)

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "PLACEHOLDER",
    "DateForm",
    "Texts",
    "accepted",
    "catalogue",
    "closest",
    "current_catalogue",
    "direction",
    "texts",
]
