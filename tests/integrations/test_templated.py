"""JSON with templates that users write: what they can do, and what they cannot."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertulia import integrations, memo
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.integrations import MalformedPayload
from tertulia.integrations import WebhookMessage, WebhookRequest, templated
from tertulia.integrations.sentence_templates import FILTERS

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
        (
            "{{ alerts|names('name') }} {{ status|link('https://x.io') }}",
            "Wet and Cold [firing](https://x.io)",
        ),
        ("{{ alerts[0].level|fact('Level') }}{{ nothing|fact('None') }}", "**Level**: 3"),
        ("{{ 'v1.2'|without('v')|before('.')|wrap(after='!') }}", "1!"),
        ("{{ '{a} and {b}'|fill(a=status, b=alerts[0].level) }}", "firing and 3"),
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
    payload = {"a": "@**all** and @*cooks*", "b": "@", "c": "**all**", "d": "@x**all**"}
    made = "{{ a|raw }} {{ b|raw }}{{ c|raw }} {{ d|code|replace('x', '') }} {{ b|wrap('', c) }}"

    report = shown(f"{{{{ a }}}} {{{{ b }}}}{{{{ c }}}} {{{{ a|upper }}}} {made}", payload)

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


ARGUMENTS = st.sampled_from(
    ["3", "-1", "''", "'x'", "1.5", "none", "true", "payload", "many", "before='x'", "name='x'"]
)


@settings(max_examples=150)
@given(
    st.sampled_from(["payload", "many", "name", "nothing", "many[0]", "''", "1", "big"]),
    st.lists(
        st.tuples(st.sampled_from(sorted(FILTERS)), st.lists(ARGUMENTS, max_size=2)),
        min_size=1,
        max_size=3,
    ),
)
def test_any_filters_are_applied_or_refused(value, filters):
    calls = "".join(f"|{name}({', '.join(args)})" for name, args in filters)
    payload = {"many": [1, {"x": "y"}, [None]], "name": "soup: a/b", "big": 2**70}
    with contextlib.suppress(ClientError):
        shown(f"{{{{ {value}{calls} }}}}", payload)


@pytest.mark.parametrize("path", ["host.name", "payload.host.name", "header.name"])
def test_a_required_value_that_is_missing_is_named(path):
    with pytest.raises(MalformedPayload) as refusal:
        shown(f"{{{{ {path}|required }}}}")

    assert refusal.value.extra()["field"] == f"payload.{path.removeprefix('payload.')}"


def test_what_filters_make_counts_as_work():
    payload = {"e": "e" * 1000, "many": [0] * 50}
    often = "{% if e|replace('e', e) %}{% endif %}" * 40

    with pytest.raises(BadRequest, match="takes too much work"):
        shown(f"{{% for each in many %}}{often}{{% endfor %}}", payload)


def test_a_template_is_compiled_once():
    compiled = memo.FUNCTIONS["webhook_templates"].cache_info
    before = compiled().misses

    for host in ("roof", "cellar"):
        report = shown("{{ host }} is {{ 'compiled once' }}", {"host": host})
        assert report is not None
        assert report.text == f"{host} is compiled once"

    assert compiled().misses == before + 1


def test_all_filters_are_documented():
    docs = Path(__file__).parents[2].joinpath("docs/api.md").read_text(encoding="utf-8")
    table = docs.partition("| Filters | Result |\n|---|---|\n")[2].partition("\n\n")[0]
    first_cells = " ".join(row.split(" | ")[0] for row in table.splitlines())

    documented = set(re.findall(r"`(\w+)[(`]", first_cells))

    assert documented == FILTERS.keys() - {"bounded"}


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
