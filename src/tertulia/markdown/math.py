"""Formulas: TeX in, MathML and visual HTML out, in KaTeX's format, which clients expect.

Clients read the source from the annotation. latex2mathml returns a tree, of which only elements in
`_ELEMENTS` and attributes in `_ATTRIBUTES` are written, because TeX can request links and styles.
What KaTeX would reject, and what exceeds the budget of a message, is shown as typed, in an error
span.
"""

import re
from typing import TYPE_CHECKING

from tertulia.markdown import escape
from tertulia.markdown.katex_html import ENTITY, katex_html
from tertulia.memo import memoized

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_CONVERTED = 2000  # characters of TeX in one message
MAX_HTML_LENGTH = 100_000  # characters of a formula; empty cells of a matrix make a lot
_MAX_DEPTH = 50

_COMMENT = re.compile(r"(?<!\\)%.*")
_SIGN = re.compile(r"\\(?:[A-Za-z]+|.)|[{}&#]", re.DOTALL)
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
        return self._span(tex, display=False) or (
            f'<span class="tex-error">$${escape.code(tex)}$$</span>'
        )

    def display(self, tex: str) -> str:
        """One formula for each part between blank lines."""
        return "\n\n".join(self._display_part(part) for part in tex.split("\n\n"))

    def _display_part(self, tex: str) -> str:
        if span := self._span(tex, display=True):
            return f'<span class="katex-display">{span}</span>'
        return f'<span class="tex-error">{_quoted(tex)}</span>'

    def _span(self, tex: str, display: bool) -> str | None:
        self._left -= len(tex)
        converted = _converted(tex, display) if self._left >= 0 else None
        if converted is None:
            return None
        mathml, visible = converted
        block = ' display="block"' if display else ""
        return (
            '<span class="katex"><span class="katex-mathml">'
            f'<math xmlns="http://www.w3.org/1998/Math/MathML"{block}><semantics>{mathml}'
            f'<annotation encoding="application/x-tex">{_quoted(tex)}</annotation></semantics>'
            f'</math></span><span class="katex-html" aria-hidden="true">{visible}</span></span>'
        )


def _quoted(raw: str) -> str:
    return escape.code(raw).replace('"', "&quot;")


@memoized("formulas", 128)
def _converted(tex: str, display: bool) -> tuple[str, str] | None:
    """The MathML and the visual HTML of a formula, or None if it is not valid TeX."""
    tex = _COMMENT.sub("", tex)
    if not tex.strip():
        return "<mrow></mrow>", ""
    if _is_wrong(tex):
        return None
    from latex2mathml import converter

    try:
        tree = converter.convert_to_element(tex)
        mathml, visible = "".join(map(_write, tree)), katex_html(tree, display)
        return (mathml, visible) if len(mathml) + len(visible) <= MAX_HTML_LENGTH else None
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
    text = ENTITY.sub(lambda match: chr(int(match[1], 16)), element.text or "")
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
