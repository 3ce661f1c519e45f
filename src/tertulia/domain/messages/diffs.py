"""The difference between two renderings of a message, shown in the newer one.

The result has only the tags of the newer rendering, so it is as well-formed. Of deleted parts only
the text is shown.
"""

import re
from difflib import SequenceMatcher

_TOKEN = re.compile(r"<[^>]*>|[^<\s]+|\s+")
MAX_COMPARED_TOKENS = 600  # with more, everything counts as changed


def html_diff(old: str, new: str) -> str:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    old_middle = before[start : len(before) - end]
    new_middle = after[start : len(after) - end]
    found = "".join(after[:start]) + _compare(old_middle, new_middle)
    return f"<div>{found}{''.join(after[len(after) - end :])}</div>"


def _same(one: list[str], other: list[str]) -> int:
    """The number of equal tokens at the start."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _compare(old: list[str], new: list[str]) -> str:
    if max(len(old), len(new)) > MAX_COMPARED_TOKENS:
        return _deleted(old) + _inserted(new)
    parts = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
        if kind == "equal":
            parts.append("".join(new[k:m]))
            continue
        parts.append(_deleted(old[i:j]))
        parts.append(_inserted(new[k:m]))
    return "".join(parts)


def _deleted(tokens: list[str]) -> str:
    words = "".join(" " if token.startswith("<") else token for token in tokens).strip()
    return f'<span class="highlight_text_deleted">{words}</span> ' if words else ""


def _inserted(tokens: list[str]) -> str:
    """Wrap the text between tags piece by piece, so that no tag is partly inside."""
    parts: list[str] = []
    words: list[str] = []

    def close() -> None:
        text = "".join(words)
        if text.strip():
            text = f'<span class="highlight_text_inserted">{text}</span>'
        parts.append(text)
        words.clear()

    for token in tokens:
        if token.startswith("<"):
            close()
            parts.append(token)
        else:
            words.append(token)
    close()
    return "".join(parts)
