"""Formulas in texts made from rendered messages: notifications, search, public pages."""

from tests.markdown.sample_names import html

from tertulia.domain.messages import notification_text, plain_text

SOURCE = r"The area is $$\pi r^2$$, and $$\frac{a}{b} < 1$$."


def test_notifications_and_search_have_the_tex_of_a_formula_once() -> None:
    assert notification_text.plain_text(html(SOURCE)) == SOURCE
    assert plain_text.text_of(html(SOURCE)).strip() == SOURCE


def test_a_page_with_mathml_has_no_visual_html() -> None:
    shown = plain_text.formulas_as_mathml(html(SOURCE))

    assert shown.count("<math") == 2
    assert "katex" not in shown
    assert "style=" not in shown
    assert shown.startswith("<p>The area is <math")
    assert shown.endswith("</math>.</p>")
