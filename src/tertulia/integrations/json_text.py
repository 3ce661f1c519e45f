"""Whatever is JSON, shown as it is."""

import json

from tertulia.integrations.payload import Hook
from tertulia.integrations.phrases import fenced
from tertulia.integrations.report import Report

MOST_WORDS = 9000


def report(hook: Hook) -> Report | None:
    shown = json.dumps(hook.payload.value, indent=2, ensure_ascii=False)
    return Report("json", "JSON", fenced("json", shown, MOST_WORDS))
