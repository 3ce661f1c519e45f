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
def test_a_formula_carries_its_source(source: str, formulas: list[str]) -> None:
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
def test_tex_brings_no_links_styles_or_markup(tex: str) -> None:
    mathml, _, _ = html(f"$${tex}$$").partition("<annotation")

    assert not re.search(r'href|style=|class="big"|<b>', mathml)


def test_formulas_beyond_the_budget_keep_their_source() -> None:
    source = " ".join(f"$$x_{{{number}}}$$" for number in range(MAX_CONVERTED // 4))

    annotations = ANNOTATION.findall(html(source))

    assert len(annotations) == MAX_CONVERTED // 4
    assert annotations[-1] == f"x_{{{MAX_CONVERTED // 4 - 1}}}"
