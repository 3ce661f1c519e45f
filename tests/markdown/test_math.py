"""Formulas: what clients read from them, and what TeX finds fault with."""

import re

import pytest
from tests.markdown.sample_names import html

from tertulia.markdown.math import MAX_CONVERTED

ANNOTATION = re.compile(r'<annotation encoding="application/x-tex">(.*?)</annotation>', re.DOTALL)


@pytest.mark.parametrize(
    "source, formulas",
    [
        ("$$x$$", ["x"]),
        ("a $$x + y$$ b", ["x + y"]),
        ("($$x$$), $$y$$.", ["x", "y"]),
        ("$$ x $$", [" x "]),
        ("$$ $$", [" "]),
        ("$$a < b$$", ["a &lt; b"]),
        ('$$"$$', ["&quot;"]),
        (r"$$\frac{1}{2}$$", [r"\frac{1}{2}"]),
        (
            r"$$\begin{matrix}a&b\\c&d\end{matrix}$$",
            [r"\begin{matrix}a&amp;b\\c&amp;d\end{matrix}"],
        ),
        (r"$$\begin{aligned}a&=b\end{aligned}$$", [r"\begin{aligned}a&amp;=b\end{aligned}"]),
        ("$$a%b$$", ["a%b"]),
        ("**bold $$x$$**", ["x"]),
        ("[$$x$$](https://h.example)", ["x"]),
        ("> $$x$$", ["x"]),
        ("```math\nx\n```", ["x"]),
        ("```math\nx\ny\n```", ["x\ny"]),
        ("```math\nx\n\ny\n```", ["x", "y"]),
        ("~~~Math\nx\n~~~", ["x"]),
        ("a$$x$$", []),
        ("$$x$$b", []),
        ("$$x$$$", []),
        ("$$x$$$$y$$", []),
        ("$$$$", []),
        ("$$x\ny$$", []),
        ("$5 and $6", []),
        ("`$$x$$`", []),
    ],
)
def test_a_formula_includes_its_source(source: str, formulas: list[str]) -> None:
    assert ANNOTATION.findall(html(source)) == formulas


@pytest.mark.parametrize(
    "tex", [r"\nosuch", r"\frac{1}", "a^", "{", "}", "#", "a & b", r"\begin{matrix}", "a_1_2"]
)
def test_wrong_tex_is_shown_as_typed(tex: str) -> None:
    shown = tex.replace("&", "&amp;")

    assert html(f"$${tex}$$") == f'<p><span class="tex-error">$${shown}$$</span></p>'
    assert html(f"```math\n{tex}\n```") == f'<p><span class="tex-error">{shown}</span></p>'


@pytest.mark.parametrize(
    "tex",
    [r"\href{javascript:alert(1)}{x}", r"\style{color:red}{x}", r"\class{big}{x}", r"\text{<b>}"],
)
def test_tex_cannot_create_links_styles_or_markup(tex: str) -> None:
    mathml, _, _ = html(f"$${tex}$$").partition("<annotation")

    assert not re.search(r'href|style=|class="big"|<b>', mathml)


def test_formulas_beyond_the_budget_are_shown_as_typed() -> None:
    count = MAX_CONVERTED // 4
    rendered = html(" ".join(f"$$x_{{{number}}}$$" for number in range(count)))

    formulas = len(ANNOTATION.findall(rendered))

    assert 0 < formulas < count
    assert rendered.count("tex-error") == count - formulas
    assert f"$$x_{{{count - 1}}}$$</span>" in rendered


@pytest.mark.parametrize(
    "tex, text",
    [
        (r"\alpha \le \beta", "α≤β"),
        (r"\frac{a}{b}", "ba"),
        (r"x_i^{2n}", "xi2n"),
        (r"\sqrt{x+1}", "√(x+1)"),
        (r"\sum_{i=1}^n i", "i=1∑ni"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(1324)"),
        (r"\mathbb{R} \to \text{all}", "ℝ→all"),
        (r"\hat{x} + \left(\binom{n}{k}\right)", "x^+((kn))"),
        (r"\lim_{x \to 0} \sin x", "x→0limsinx"),
    ],
)
def test_visual_html_has_symbols_and_no_tex(tex: str, text: str) -> None:
    """Apps without MathML draw `katex-html`; a stack lists what is below first."""
    visible = html(f"```math\n{tex}\n```").partition('aria-hidden="true">')[2]

    assert re.sub(r"<[^>]*>|\u200b", "", visible) == text


def test_visual_html_places_scripts_in_stacks() -> None:
    visible = html("$$x^2$$").partition('<span class="katex-html" aria-hidden="true">')[2]

    base = re.fullmatch(
        r'<span class="base"><span class="strut" style="height:[\d.]+em;"></span>(.*)</span></span>'
        r"</span></p>",
        visible,
    )
    assert base
    assert (
        '<span class="mord mathnormal">x</span><span class="msupsub"><span class="vlist-t">'
        in base[1]
    )
    assert '<span class="sizing reset-size6 size3 mtight"><span class="mord">2</span>' in base[1]


def test_a_line_can_break_after_a_relation() -> None:
    assert html("$$a=b+c$$").count('<span class="base">') == 3
    assert html("$$x^{a=b}$$").count('<span class="base">') == 1


def test_a_formula_with_too_much_html_is_shown_as_typed() -> None:
    tex = r"\begin{matrix}" + "&" * 900 + r"\\" * 300 + r"\end{matrix}"

    rendered = html(f"$${tex}$$")

    assert "tex-error" in rendered
    assert len(rendered) < 10_000
