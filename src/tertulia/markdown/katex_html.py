"""KaTeX's visual HTML of a formula, made from its MathML tree.

Apps that have no MathML (the phone app) draw a formula from these spans: boxes with a height and
a depth in em, stacked in `vlist` elements whose children are placed by `top`. Positions follow
TeX's rules with approximate font metrics. Roots and stretched lines, which KaTeX draws as
pictures, are written with Unicode characters.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tertulia.markdown import escape

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ENTITY = re.compile(r"&#x([0-9A-Fa-f]{1,6});")

_LAST_GREEK = 0x3FF
_X_HEIGHT_EM = 0.4306
_CAPITAL_HEIGHT_EM = 0.6944
_DESCENDER_EM = 0.1944
_AXIS_EM = 0.25
# TeX's styles, and KaTeX's number and scale of each.
_DISPLAY, _TEXT, _SCRIPT, _SCRIPT_OF_SCRIPT = range(4)
_SIZES = (6, 6, 3, 1)
_SCALES = (1.0, 1.0, 0.7, 0.5)
_LINE_GAP_EM = 1.2
_SUPERSCRIPT_SHIFT_EM = 0.4
_SUBSCRIPT_SHIFT_EM = 0.2
_SMALL_LETTERS = frozenset("acegmnopqrsuvwxyzαγημρχεικνοπστυωϵ")
_DESCENDERS = frozenset("gjpqyQβγζημξρφχψ,;()[]{}|∥")

_BINARY = frozenset("+-−±∓×÷·∗*⋆∘∙⊕⊖⊗⊘⊙∪∩∧∨∖⊎⊓⊔†‡")
_RELATIONS = frozenset("=<>≤≥≠≈≡∼≃≅∝∈∉∋⊂⊃⊆⊇⊊⊋⊢⊣⊨∣∥⊥→←↔⇒⇐⇔↦⟶⟵⟷⟹⟸⟺↑↓≪≫≺≻⪯⪰:≐≜≔↪↩⇀⇁∶⩽⩾")
_OPENING = frozenset("([{⟨⌈⌊⟦")
_CLOSING = frozenset(")]}⟩⌉⌋⟧")
_DELIMITERS = _OPENING | _CLOSING | frozenset("|∥‖")
_PUNCTUATION = frozenset(",;")
_INTEGRALS = frozenset("∫∬∭∮")
_LARGE_OPERATORS = frozenset("∑∏∐⋃⋂⨁⨂⨀⋁⋀⨄⨆")
_LIMIT_OPERATORS = frozenset(
    (
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "gcd",
        "Pr",
        "lim sup",
        "lim inf",
        "limsup",
        "liminf",
    )
)
_ACCENTS = {"^": "^", "ˆ": "^", "~": "~", "˜": "~", "―": "ˉ", "¯": "ˉ", "˙": "˙",
            "¨": "¨", "ˇ": "ˇ", "˘": "˘", "´": "ˊ", "`": "ˋ", "‾": "ˉ"}  # fmt: skip
# Space between neighbours by the kind of both, in em: TeX's thin, medium and thick space.
_THIN_EM, _MEDIUM_EM, _THICK_EM = 0.1667, 0.2222, 0.2778


@dataclass(frozen=True, slots=True)
class _Box:
    """HTML with its extent above and below the baseline, and TeX's kind of atom (mord, mbin …)."""

    html: str
    height: float
    depth: float
    kind: str = "mord"


_EMPTY = _Box("", 0.0, 0.0)


def katex_html(mathml: "Iterable[Element]", display: bool) -> str:
    """The content of `span.katex-html` for the children of a `math` element."""
    style = _DISPLAY if display else _TEXT
    boxes = _sequence(list(mathml), style)
    bases: list[list[_Box]] = []
    current: list[_Box] = []
    for box in _spaced(boxes, style):
        current.append(box)
        # A line may break after a relation or an operator and the space that follows it.
        if box.kind == "space-after":
            bases.append(current)
            current = []
    bases.append(current)
    return "".join(_base(base) for base in bases if base)


def _base(boxes: Sequence[_Box]) -> str:
    row = _row(boxes)
    style = f"height:{_em(row.height + row.depth)};"
    if row.depth:
        style += f"vertical-align:{_em(-row.depth)};"
    return f'<span class="base"><span class="strut" style="{style}"></span>{row.html}</span>'


def _sequence(elements: "Sequence[Element]", style: int) -> list[_Box]:
    """The atoms of a row. An inner row is its children, unless its delimiters stretch."""
    boxes: list[_Box] = []
    position = 0
    while position < len(elements):
        element = elements[position]
        if _encloses_table(elements[position : position + 3]):
            opening, table, closing = elements[position : position + 3]
            boxes.append(_fenced(_text(opening), _box(table, style), _text(closing)))
            position += 3
            continue
        if element.tag == "mrow" and not _is_fenced(element):
            boxes += _sequence(list(element), style)
        else:
            boxes.append(_box(element, style))
        position += 1
    return boxes


def _encloses_table(elements: "Sequence[Element]") -> bool:
    """Parentheses around a matrix or a binomial, which latex2mathml does not mark as a fence."""
    return (
        [element.tag for element in elements] in (["mo", "mtable", "mo"], ["mo", "mfrac", "mo"])
        and (elements[1].tag == "mtable" or elements[1].get("linethickness") == "0")
        and all(_text(element) in _DELIMITERS for element in elements[::2])
    )


def _box(element: "Element", style: int) -> _Box:
    children = list(element)
    match element.tag:
        case "mi" | "mn" | "mo" | "mtext" | "ms":
            return _token(element, style)
        case "mspace":
            return _space(element.get("width", "0em"))
        case "msup" | "msub" | "msubsup" | "munder" | "mover" | "munderover":
            return _scripts(element, style)
        case "mfrac":
            return _fraction(element, style)
        case "msqrt":
            return _root(None, _inner(children, style))
        case "mroot":
            return _root(_script(children[1:], style), _inner(children[:1], style))
        case "mtable":
            return _table(children)
        case "mphantom":
            inner = _inner(children, style)
            html = f'<span class="mord" style="color:transparent;">{inner.html}</span>'
            return _Box(html, inner.height, inner.depth)
        case "mstyle" if color := _color(element.get("mathcolor", "")):
            inner = _inner(children, style)
            return _Box(
                f'<span style="color:{color};">{inner.html}</span>', inner.height, inner.depth
            )
        case "mstyle":
            own = {"true": _DISPLAY, "false": max(style, _TEXT)}.get(
                element.get("displaystyle", "")
            )
            return _inner(children, style if own is None else own)
        case "mfenced":
            inner = _inner(children, style)
            opening, closing = element.get("open", "("), element.get("close", ")")
            return _fenced(opening, inner, closing)
        case "mrow" if _is_fenced(element):
            return _fenced_row(element, style)
    return _inner(children, style)


def _inner(children: "Iterable[Element]", style: int) -> _Box:
    boxes = _sequence(list(children), style)
    if len(boxes) == 1:
        return boxes[0]
    row = _row(_spaced(boxes, style))
    return _Box(f'<span class="mord">{row.html}</span>', row.height, row.depth)


def _row(boxes: Sequence[_Box]) -> _Box:
    html = "".join(box.html for box in boxes)
    height = max((box.height for box in boxes), default=0.0)
    return _Box(html, height, max((box.depth for box in boxes), default=0.0))


def _spaced(boxes: Sequence[_Box], style: int) -> list[_Box]:
    """The atoms with TeX's spaces between them. Scripts have only those of operators' names."""
    spaced: list[_Box] = []
    for before, box in pairwise([_EMPTY, *boxes]):
        # An operator without a left operand is a sign: −x, (−x), = −x.
        starts = before is _EMPTY or before.kind in ("mbin", "mrel", "mopen", "mpunct", "mop")
        kind = "mord" if box.kind == "mbin" and starts else box.kind
        box = _Box(box.html.replace('"mbin"', '"mord"', 1) if kind != box.kind else box.html,
                   box.height, box.depth, kind)  # fmt: skip
        if spaced and (width := _space_between(spaced[-1].kind, kind, style)):
            after = "space-after" if spaced[-1].kind in ("mbin", "mrel") else "space"
            spaced.append(_Box(_space_html(width), 0.0, 0.0, after))
        spaced.append(box)
    return spaced


def _space_between(before: str, after: str, style: int) -> float:
    if before in ("space", "space-after") or after == "space":
        return 0.0
    if style >= _SCRIPT and "mop" not in (before, after):
        return 0.0
    if "mrel" in (before, after):
        return 0.0 if before == after else _THICK_EM
    if "mbin" in (before, after):
        return _MEDIUM_EM
    if before == "mpunct":
        return _THIN_EM
    if before == "mop":
        return 0.0 if after in ("mopen", "mclose", "mpunct") else _THIN_EM
    return _THIN_EM if after == "mop" and before in ("mord", "mclose") else 0.0


def _token(element: "Element", style: int) -> _Box:
    text = _text(element)
    if not text:
        return _EMPTY
    height, depth = _extent(text)
    if element.tag == "mtext":
        return _Box(f'<span class="mord text"><span class="mord">{escape.code(text)}</span></span>',
                    height, depth)  # fmt: skip
    if element.tag == "mi":
        if len(text) > 1:
            return _Box(f'<span class="mop">{escape.code(text)}</span>', height, depth, "mop")
        italic = " mathnormal" if text.isalpha() and not _is_upright(text, element) else ""
        return _Box(f'<span class="mord{italic}">{escape.code(text)}</span>', height, depth)
    kind = "mord" if element.tag != "mo" else _kind(text)
    if text in _LARGE_OPERATORS or text in _INTEGRALS:
        size = "small-op" if style else "large-op"
        height, depth = (0.75, 0.25) if style else (0.95, 0.45)
        if text in _INTEGRALS:
            height, depth = (0.8, 0.3) if style else (1.36, 0.86)
        return _Box(f'<span class="mop op-symbol {size}">{text}</span>', height, depth, "mop")
    return _Box(f'<span class="{kind}">{escape.code(text)}</span>', height, depth, kind)


def _kind(text: str) -> str:
    for characters, kind in (
        (_BINARY, "mbin"), (_RELATIONS, "mrel"), (_OPENING, "mopen"),
        (_CLOSING, "mclose"), (_PUNCTUATION, "mpunct"), (_LARGE_OPERATORS, "mop"),
    ):  # fmt: skip
        if text in characters:
            return kind
    return "mop" if (len(text) > 1 and text.isalpha()) or text in _INTEGRALS else "mord"


def _is_upright(text: str, element: "Element") -> bool:
    """Capital Greek, letters of other alphabets (𝐱, ℝ) and what is declared upright."""
    return element.get("mathvariant") == "normal" or "Α" <= text <= "Ω" or ord(text) > _LAST_GREEK


def _text(element: "Element") -> str:
    return ENTITY.sub(lambda match: chr(int(match[1], 16)), element.text or "")


def _extent(text: str) -> tuple[float, float]:
    """Height and depth of text, in em."""
    height = _X_HEIGHT_EM if _SMALL_LETTERS.issuperset(text) else _CAPITAL_HEIGHT_EM
    return height, 0.0 if _DESCENDERS.isdisjoint(text) else _DESCENDER_EM


def _space(width: str) -> _Box:
    match = re.fullmatch(r"(-?\d*\.?\d+)(em|ex|mu)?", width)
    amount = float(match[1]) if match else 0.0
    if match and match[2] in ("ex", "mu"):
        amount = amount * _X_HEIGHT_EM if match[2] == "ex" else amount / 18
    return _Box(_space_html(amount), 0.0, 0.0, "space")


def _space_html(width: float) -> str:
    return f'<span class="mspace" style="margin-right:{_em(width)};"></span>'


def _script(elements: "Sequence[Element]", style: int) -> _Box:
    """A script or a small fraction's part, in the next smaller style."""
    smaller = min(max(style, _TEXT) + 1, _SCRIPT_OF_SCRIPT)
    return _scaled(_inner(elements, smaller), style, smaller)


def _scaled(box: _Box, style: int, smaller: int) -> _Box:
    scale = _SCALES[smaller] / _SCALES[style]
    sizes = f"reset-size{_SIZES[style]} size{_SIZES[smaller]}"
    html = f'<span class="sizing {sizes} mtight">{box.html}</span>'
    return _Box(html, box.height * scale, box.depth * scale)


def _scripts(element: "Element", style: int) -> _Box:
    children = list(element)
    base = _box(children[0], style) if children else _EMPTY
    if element.tag == "mover" and len(children) == 2 and _text(children[1]) in _ACCENTS:
        return _accent(base, _ACCENTS[_text(children[1])])
    scripts = [_script([child], style) for child in children[1:]]
    below = above = None
    if element.tag in ("msup", "mover"):
        above = scripts[0] if scripts else None
    else:
        below = scripts[0] if scripts else None
        above = scripts[1] if len(scripts) > 1 else None
    name = _text(children[0]) if children else ""
    is_stacked = element.tag.startswith(("mu", "mo")) or (
        style == _DISPLAY and (name in _LARGE_OPERATORS or name in _LIMIT_OPERATORS)
    )
    return _limits(base, below, above) if is_stacked else _side_scripts(base, below, above)


def _side_scripts(base: _Box, below: _Box | None, above: _Box | None) -> _Box:
    placed = []
    if below:
        shift = max(_SUBSCRIPT_SHIFT_EM if above else 0.15, base.depth + 0.05)
        placed.append((below, max(shift, below.height - 0.34)))
    if above:
        shift = max(_SUPERSCRIPT_SHIFT_EM, base.height - 0.3, above.depth + 0.1)
        if below:  # leave a gap between both
            bottom = placed[0][1] - below.height
            shift = max(shift, above.depth + 0.16 - bottom)
        placed.append((above, -shift))
    stack = _stack(placed, "margin-right:0.05em;")
    html = f'<span class="{base.kind}">{base.html}<span class="msupsub">{stack.html}</span></span>'
    return _Box(html, max(base.height, stack.height), max(base.depth, stack.depth), base.kind)


def _limits(base: _Box, below: _Box | None, above: _Box | None) -> _Box:
    placed = [(base, 0.0)]
    if below:
        placed.insert(0, (below, base.depth + 0.17 + below.height))
    if above:
        placed.append((above, -(base.height + 0.15 + above.depth)))
    stack = _stack(placed)
    html = f'<span class="mop op-limits">{stack.html}</span>'
    return _Box(html, stack.height, stack.depth, "mop" if base.kind == "mop" else "mord")


def _accent(base: _Box, mark: str) -> _Box:
    accent = _Box(f'<span class="accent-body" style="left:-0.2222em;"><span class="mord">{mark}'
                  "</span></span>", _CAPITAL_HEIGHT_EM, 0.0)  # fmt: skip
    stack = _stack([(base, 0.0), (accent, _X_HEIGHT_EM - max(base.height, _X_HEIGHT_EM))])
    return _Box(f'<span class="mord accent">{stack.html}</span>', stack.height, base.depth)


def _fraction(element: "Element", style: int) -> _Box:
    parts = [[child] for child in list(element)[:2]]
    if style == _DISPLAY:
        up, down = 0.677, 0.686
        above, below = (_inner(part, _TEXT) for part in parts)
    else:
        up, down = 0.394, 0.345
        above, below = (_script(part, style) for part in parts)
    up = max(up, _AXIS_EM + 0.1 + above.depth)
    down = max(down, below.height + 0.1 - _AXIS_EM)
    placed = [(below, down), (above, -up)]
    if element.get("linethickness") not in ("0", "0em", "0px"):
        line = '<span class="frac-line" style="border-bottom-width:0.04em;"></span>'
        placed.insert(1, (_Box(line, 0.04, 0.0), -(_AXIS_EM - 0.02)))
    stack = _stack(placed)
    html = (
        '<span class="mord"><span class="mopen nulldelimiter"></span>'
        f'<span class="mfrac">{stack.html}</span><span class="mclose nulldelimiter"></span></span>'
    )
    return _Box(html, stack.height, stack.depth)


def _root(index: _Box | None, inner: _Box) -> _Box:
    """√(…), with the index as a superscript before it."""
    before = _side_scripts(_EMPTY, None, index).html if index else ""
    html = (
        f'<span class="mord">{before}<span class="mord">√</span><span class="mopen">(</span>'
        f'{inner.html}<span class="mclose">)</span></span>'
    )
    return _Box(html, max(inner.height, 0.8), max(inner.depth, _DESCENDER_EM))


def _is_fenced(element: "Element") -> bool:
    return any(child.tag == "mo" and child.get("fence") == "true" for child in element)


def _fenced_row(element: "Element", style: int) -> _Box:
    children = list(element)
    opening = closing = ""
    if children[0].get("fence") == "true":
        opening = _text(children.pop(0))
    if children and children[-1].get("fence") == "true":
        closing = _text(children.pop())
    return _fenced(opening, _inner(children, style), closing)


def _fenced(opening: str, inner: _Box, closing: str) -> _Box:
    """Delimiters of one of KaTeX's five sizes, by the height of what they enclose."""
    needed = 2 * max(inner.height - _AXIS_EM, inner.depth + _AXIS_EM)
    size = sum(needed > limit for limit in (1.0, 1.2, 1.8, 2.4))
    height = (1.0, 1.2, 1.8, 2.4, 3.0)[size]

    def delimiter(character: str, kind: str) -> str:
        if not character:
            return f'<span class="{kind} nulldelimiter"></span>'
        name = "delimcenter" if not size else f"delimsizing size{size}"
        return f'<span class="{kind} {name}">{escape.code(character)}</span>'

    html = (
        f'<span class="minner">{delimiter(opening, "mopen")}{inner.html}'
        f"{delimiter(closing, 'mclose')}</span>"
    )
    return _Box(html, max(inner.height, height / 2 + _AXIS_EM),
                max(inner.depth, height / 2 - _AXIS_EM))  # fmt: skip


def _table(rows: "Sequence[Element]") -> _Box:
    cells = [[_inner([cell], _TEXT) for cell in row] for row in rows]
    heights = [max([0.7 * _LINE_GAP_EM, *(cell.height for cell in row)]) for row in cells]
    depths = [max([0.3 * _LINE_GAP_EM, *(cell.depth for cell in row)]) for row in cells]
    total = sum(heights) + sum(depths)
    baselines, position = [], -(total / 2 + _AXIS_EM)
    for height, depth in zip(heights, depths, strict=True):
        position += height
        baselines.append(position)
        position += depth
    columns = []
    for number in range(max((len(row) for row in cells), default=0)):
        placed = [(row[number], baselines[index]) for index, row in enumerate(cells)
                  if number < len(row)]  # fmt: skip
        aligns = [row[number].get("columnalign", "center") for row in map(list, rows)
                  if number < len(row)]  # fmt: skip
        columns.append(f'<span class="col-align-{aligns[0][0]}">{_stack(placed).html}</span>')
    gap = '<span class="arraycolsep" style="width:0.5em;"></span>'
    html = f'<span class="mord"><span class="mtable">{(gap + gap).join(columns)}</span></span>'
    return _Box(html, total / 2 + _AXIS_EM, total / 2 - _AXIS_EM)


def _stack(placed: Sequence[tuple[_Box, float]], style: str = "") -> _Box:
    """KaTeX's `vlist`: each box at its shift, positive downwards, from the common baseline."""
    strut = 2 + max([1.0, *(box.height for box, _ in placed)])
    rows = "".join(
        f'<span style="top:{_em(shift - strut)};{style}">'
        f'<span class="pstrut" style="height:{_em(strut)};"></span>{box.html}</span>'
        for box, shift in placed
    )
    height = max(box.height - shift for box, shift in placed) if placed else 0.0
    depth = max([0.0, *(box.depth + shift for box, shift in placed)])
    vlist = f'<span class="vlist" style="height:{_em(height)};">{rows}</span>'
    if not depth:
        return _Box(f'<span class="vlist-t"><span class="vlist-r">{vlist}</span></span>',
                    height, 0.0)  # fmt: skip
    html = (
        f'<span class="vlist-t vlist-t2"><span class="vlist-r">{vlist}'
        '<span class="vlist-s">\u200b</span></span><span class="vlist-r">'
        f'<span class="vlist" style="height:{_em(depth)};"><span></span></span></span></span>'
    )
    return _Box(html, height, depth)


def _color(value: str) -> str:
    return value if re.fullmatch(r"#[0-9A-Fa-f]{3,8}|[a-zA-Z]{1,20}", value) else ""


def _em(value: float) -> str:
    return f"{round(value, 4) + 0.0:g}em"
