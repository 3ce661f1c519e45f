"""Writes the types of the page's texts: each key and the names of its `{…}` fields.

`make check` runs this before the type check, so that a key which no text has, and a field without a
value, are errors. The file is not committed: without it, `t` accepts any key.
"""

import json
from pathlib import Path

from tertulia import locale
from tertulia.locale.po_file import Text

TYPES = Path(__file__).parents[1] / "src/tertulia/web/static/text_keys.d.ts"


def types() -> str:
    texts = locale.catalogue(locale.ENGLISH).texts
    rows = "".join(f"    {json.dumps(key)}: {_fields(text)};\n" for key, text in texts.items())
    return f"declare global {{\n  interface TextFields {{\n{rows}  }}\n}}\nexport {{}};\n"


def _fields(text: Text) -> str:
    forms, names = ((text,), []) if isinstance(text, str) else (text, ["count"])
    names += [name for form in forms for name in locale.PLACEHOLDER.findall(form)]
    return " | ".join(map(json.dumps, dict.fromkeys(names))) or "never"


if __name__ == "__main__":
    TYPES.write_text(types(), encoding="utf-8")
