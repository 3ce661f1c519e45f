"""Maps threads to topics, named after the day they began and their first words."""

import re
from datetime import UTC, datetime

WORDS_LENGTH = 40

_MARKUP = re.compile(r"[*_~`<>\[\]|\ue0ff]+")


def topic_of(began_at: float, text: str) -> str:
    day = datetime.fromtimestamp(began_at, UTC).strftime("%Y-%m-%d")
    words = " ".join(_MARKUP.sub(" ", text).split())
    return f"{day} {words[:WORDS_LENGTH].strip()}".strip()
