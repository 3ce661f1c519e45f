"""JSON with templates that users write: what they can do, and what they cannot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertulia import integrations
from tertulia.errors import BadRequest, ClientError
from tertulia.integrations import WebhookMessage, WebhookRequest, templated

ALERTS = {
    "status": "firing",
    "host-name": "cellar",
    "items": ["never a method"],
    "alerts": [
        {"name": "Wet", "level": 3, "is_new": True},
        {"name": "Cold", "level": 0, "is_new": False},
    ],
}


def shown(text: str, payload: object = ALERTS, topic: str = "") -> WebhookMessage | None:
    query = {"text_template": text, "topic_template": topic}
    return integrations.INTEGRATIONS["template"].message_for(WebhookRequest(payload, query=query))


@pytest.mark.parametrize(
    "template, text",
    [
        ("It is {{ status }}", "It is firing"),
        ("{{ payload['host-name'] }}", "cellar"),
        ("{{ items[0] }}", "never a method"),
        ("{{ alerts[0].name }} {{ alerts[-1].name }}", "Wet Cold"),
        ("{{ alerts[7].name.first }}{{ nothing.there }}x", "x"),
        ("{% for a in alerts %}{{ loop.index }}. {{ a.name }} {% endfor %}", "1. Wet 2. Cold"),
        ("{% for a in alerts if a.is_new %}{{ a.name }}{% endfor %}", "Wet"),
        ("{% if status == 'firing' and alerts|length > 1 %}many{% else %}few{% endif %}", "many"),
        ("{{ 'new' if alerts[0].is_new else 'old' }}", "new"),
        (
            "{{ status|upper }} {{ nothing|default('none') }} {{ alerts[1].level|default(7) }}",
            "FIRING none 0",
        ),
        ("{{ items|join('; ') }} {{ alerts }} {{ alerts[0].is_new }}", "never a method (2) true"),
        ("{{ 'a long text'|truncate(6) }}", "a l..."),
        ("{% if nothing is defined %}a{% else %}b{% endif %}", "b"),
        ("@**ana** {{ status }}", "@**ana** firing"),
    ],
)
def test_a_template_shows_values(template, text):
    report = shown(template)

    assert report is not None
    assert report.text == text


def test_a_topic_has_its_own_template():
    report = shown("wet", topic="{{ payload['host-name'] }} / {{ status }}")
    plain = shown("wet")

    assert report is not None
    assert plain is not None
    assert (report.event, report.topic) == ("json", "cellar / firing")
    assert plain.topic == "JSON"


def test_an_empty_result_sends_no_message():
    assert shown("{% if status == 'resolved' %}dry{% endif %}") is None


def test_values_mention_no_one():
    payload = {"a": "@**all** and @*cooks*", "b": "@", "c": "**all**"}

    report = shown("{{ a }} {{ b }}{{ c }} {{ a|upper }}", payload)

    assert report is not None
    assert "@*" not in report.text


@pytest.mark.parametrize(
    "template, problem",
    [
        ("{{ status", "unexpected"),
        ("{{ status.upper() }}", "Call is not allowed"),
        ("{{ range(9) }}", "Call is not allowed"),
        ("{{ 'a' * 999999999 }}", "Mul is not allowed"),
        ("{{ 9 ** 9 ** 9 ** 9 }}", "Pow is not allowed"),
        ("{{ '%9999999d' % 1 }}", "Mod is not allowed"),
        ("{{ status ~ status }}", "Concat is not allowed"),
        ("{% set a = 1 %}", "Assign is not allowed"),
        ("{% macro a() %}{% endmacro %}", "Macro is not allowed"),
        ("{% include 'x' %}", "Include is not allowed"),
        ("{% import 'x' as x %}", "Import is not allowed"),
        ("{% extends 'x' %}", "Extends is not allowed"),
        ("{% for a in alerts recursive %}{% endfor %}", "recursive loop is not allowed"),
        ("{{ status|center(999999999) }}", "No filter named 'center'"),
        ("{% if status is sameas status %}{% endif %}", "'sameas' is not allowed"),
        ("{% if status < 3 %}{% endif %}", "not supported"),
        ("x" * 2001, "more than 2000 characters"),
        ("{{" + "(" * 900 + "1" + ")" * 900 + "}}", "text_template is not a valid template: "),
        ("{% if not " + "not " * 400 + "a %}{% endif %}", "text_template: conditions, loops"),
        ("{{ status|truncate(1e999) }}", "text_template is not a valid template: "),
        (" ", "needs a text_template"),
    ],
)
def test_templates_have_no_other_features(template, problem):
    with pytest.raises(BadRequest, match=problem):
        shown(template)


@pytest.mark.parametrize("path", ["__class__", "status.__class__.__mro__", "payload.keys", "loop"])
def test_templates_cannot_access_python_objects(path):
    report = shown(
        f"x{{{{ {path} }}}}{{% for a in alerts %}}{{{{ loop._iterator }}}}{{% endfor %}}"
    )

    assert report is not None
    assert report.text == "x"


def test_loops_share_one_limit_of_iterations():
    many = {"rows": [list(range(50)) for _ in range(50)]}
    nested = "{% for r in rows %}{% for a in r %}x{% endfor %}{% endfor %}"

    report = shown(nested, many)

    assert report is not None
    assert len(report.text) < templated.MAX_ITERATIONS


def test_a_long_message_is_truncated():
    report = shown("{% for a in rows %}{{ a }}{% endfor %}", {"rows": ["x" * 5000] * 50})

    assert report is not None
    assert len(report.text) <= templated.MAX_TEXT_LENGTH


@settings(max_examples=100)
@given(
    st.text(st.sampled_from("{}%|.[]'() aif0=~-"), max_size=40),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=10,
    ),
)
def test_any_template_is_rendered_or_refused(template, payload):
    try:
        shown(template, payload)
    except ClientError:
        return


@pytest.mark.parametrize(
    "expression",
    ["==".join(["payload"] * 200), "|".join(["payload", *["join"] * 5]), "payload.x" + ".x" * 5],
)
def test_lookups_filters_and_comparisons_share_one_budget(expression):
    payload = {"x": {"name": "soup"}, "many": ["y" * 1000] * 400}
    once = f"{{{{ {expression} }}}}"
    often = f"{{% for each in many %}}{once * (1900 // len(once))}{{% endfor %}}"

    with pytest.raises(BadRequest, match="takes too much work"):
        shown(often, payload)
