"""Formulas: TeX in, MathML out, in KaTeX's format, which clients expect.

Clients read the source from the annotation. latex2mathml returns a tree, of which only elements in
`_ELEMENTS` and attributes in `_ATTRIBUTES` are written, because TeX can request links and styles.
What KaTeX would reject is shown as typed, in an error span.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tertulia.markdown import escape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_CONVERTED = 2000  # characters of TeX in one message; the rest is shown as source
_MAX_DEPTH = 50

_COMMENT = re.compile(r"(?<!\\)%.*")
_SIGN = re.compile(r"\\(?:[A-Za-z]+|.)|[{}&#]", re.DOTALL)
_ENTITY = re.compile(r"&#x([0-9A-Fa-f]{1,6});")
_ELEMENTS = {
    "menclose", "mfenced", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded",
    "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub",
    "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none",
}  # fmt: skip
_ATTRIBUTES = {
    "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth",
    "displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace", "mathcolor",
    "mathsize", "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines",
    "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "width",
}  # fmt: skip


class Formulas:
    """The formulas of one message. Conversion is the slowest step, so it has a budget."""

    def __init__(self) -> None:
        self._left = MAX_CONVERTED

    def inline(self, tex: str) -> str:
        mathml = self._mathml(tex)
        if mathml is None:
            return f'<span class="tex-error">$${escape.code(tex)}$$</span>'
        return _span(tex, mathml, "")

    def display(self, tex: str) -> str:
        """One formula for each part between blank lines."""
        return "\n\n".join(self._display_part(part) for part in tex.split("\n\n"))

    def _display_part(self, tex: str) -> str:
        mathml = self._mathml(tex)
        if mathml is None:
            return f'<span class="tex-error">{_quoted(tex)}</span>'
        span = _span(tex, mathml, ' display="block"')
        return f'<span class="katex-display">{span}</span>'

    def _mathml(self, tex: str) -> str | None:
        self._left -= len(tex)
        if self._left < 0:
            return f"<mtext>{_quoted(tex)}</mtext>"
        return _converted(tex)


def _span(tex: str, mathml: str, attribute: str) -> str:
    source = _quoted(tex)
    visible = f'<span class="base"><span class="mord">{source}</span></span>' if tex.strip() else ""
    return (
        '<span class="katex"><span class="katex-mathml">'
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"{attribute}><semantics>{mathml}'
        f'<annotation encoding="application/x-tex">{source}</annotation></semantics></math></span>'
        f'<span class="katex-html" aria-hidden="true">{visible}</span></span>'
    )


def _quoted(raw: str) -> str:
    return escape.code(raw).replace('"', "&quot;")


@lru_cache(maxsize=128)
def _converted(tex: str) -> str | None:
    """The MathML of a formula, or None if it is not valid TeX."""
    tex = _COMMENT.sub("", tex)
    if not tex.strip():
        return "<mrow></mrow>"
    if _is_wrong(tex):
        return None
    from latex2mathml import converter

    try:
        return "".join(map(_write, converter.convert_to_element(tex)))
    except Exception:  # the library raises any exception, including RecursionError
        return None


def _is_wrong(tex: str) -> bool:
    """Unbalanced braces, an alignment outside of a table, a parameter outside of a macro."""
    depth = tables = 0
    for sign in _SIGN.findall(tex):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        tables += {"\\begin": 1, "\\end": -1}.get(sign, 0)
        if not 0 <= depth <= _MAX_DEPTH or sign == "#" or (sign == "&" and not tables):
            return True
    return depth != 0 or tables != 0


def _write(element: "Element") -> str:
    text = _ENTITY.sub(lambda match: chr(int(match[1], 16)), element.text or "")
    if element.tag not in _ELEMENTS or text.startswith("\\") or _lacks_part(element):
        raise ValueError(element.tag)
    if text == "&":
        return ""
    attributes = "".join(
        f' {name}="{escape.attribute(value)}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES
    )
    inner = escape.code(text) + "".join(map(_write, element))
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"


def _lacks_part(element: "Element") -> bool:
    return element.tag in ("mfrac", "mroot") and len(element) < 2
