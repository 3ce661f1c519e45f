"""Parameters: what each type accepts on the wire, and the exact words when it does not fit."""

from contextlib import suppress
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.errors import ClientError
from tertulia.http.json_text import read_json
from tertulia.http.parameter_rules import (
    NO_ID,
    Alias,
    AtLeast,
    AtMost,
    BareOrJson,
    Id,
    Json,
    MaxItems,
    MaxLength,
    Name,
    NoNul,
    NotBlank,
    NullRefused,
    OneOf,
    OnlyWith,
    Stripped,
)
from tertulia.http.params import Contract, contract_of


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["", "stream", "private"]
    to: list[int]
    content: Annotated[str, NotBlank]
    timestamp: int | None = None


class Sub(msgspec.Struct):
    name: str
    description: Annotated[str, MaxLength(5)] = ""


class GroupSetting(msgspec.Struct):
    direct_members: list[int]
    direct_subgroups: list[int]


class Term(msgspec.Struct):
    operator: str = ""
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.operator:
            raise ValueError("operator is missing")


class Storage(msgspec.Struct, rename={"kind": "type"}):
    kind: str | msgspec.UnsetType = msgspec.UNSET


def contract(annotation: Any, **default: Any) -> Contract:
    """The contract of an endpoint with one parameter, x."""

    async def endpoint(call: Any, *, x: Any) -> None:
        pass

    endpoint.__annotations__["x"] = annotation
    endpoint.__kwdefaults__ = {"x": default["default"]} if default else {}
    return contract_of(endpoint)


def read(annotation: Any, text: str) -> Any:
    return contract(annotation).parse({"x": text})["x"]


def complaint(annotation: Any, text: str) -> str:
    with pytest.raises(ClientError) as caught:
        read(annotation, text)
    assert (caught.value.status, caught.value.code) == (400, "BAD_REQUEST")
    assert caught.value.extra() == {}
    return caught.value.msg


@pytest.mark.parametrize(
    "annotation, text, value",
    [
        (str, '"soup"', '"soup"'),
        (str, "", ""),
        (str, "null", "null"),
        (int, "5", 5),
        (int, " -5 ", -5),
        (int, str(2**63 - 1), 2**63 - 1),
        (bool, "true", True),
        (float, "1.5", 1.5),
        (float, "2", 2.0),
        (list[int], "[]", []),
        (list[int], "[1, 2]", [1, 2]),
        (dict[str, int], '{"a": 1, "a": 2}', {"a": 2}),
        (Any, '{"a": [null]}', {"a": [None]}),
        (int | None, "null", None),
        (Literal["add", "remove"], "add", "add"),
        (Literal[1, 2], "2", 2),
        (bool | Literal["partial"], "partial", "partial"),
        (bool | Literal["partial"], "true", True),
        (Annotated[str, Json], '"soup"', "soup"),
        (Annotated[str, BareOrJson], "soup", "soup"),
        (Annotated[str, BareOrJson], '"soup"', "soup"),
        (Annotated[str, BareOrJson], "5", "5"),
        (Annotated[Literal["inherit"], BareOrJson], '"inherit"', "inherit"),
        (str | int, "unlimited", "unlimited"),
        (str | int, '"unlimited"', "unlimited"),
        (str | int, "30", 30),
        (str | int, "null", "null"),
        (str | int | list[int] | list[str], "5", 5),
        (str | int | list[int] | list[str], '"5"', "5"),
        (str | int | list[int] | list[str], "[5]", [5]),
        (str | int | list[int] | list[str], '["a@b.c"]', ["a@b.c"]),
        (str | int | list[int] | list[str], "true", "true"),
        (str | int | list[int] | list[str], "1.5", "1.5"),
        (str | int | list[int] | list[str], "{}", "{}"),
        (int | GroupSetting, "7", 7),
        (
            int | GroupSetting,
            '{"direct_members": [1], "direct_subgroups": []}',
            GroupSetting([1], []),
        ),
        (list[Sub], '[{"name": "a", "colour": "red"}]', [Sub("a")]),
        (Draft, '{"type": "", "to": [], "content": "x"}', Draft("", [], "x")),
        (Storage, '{"type": "a"}', Storage("a")),
        (Storage, "{}", Storage()),
        (Annotated[str, Stripped, NotBlank], " a ", "a"),
        (Annotated[str, MaxLength(2)], "🍲🍲", "🍲🍲"),
        (Annotated[int, OneOf([100, 200])], "200", 200),
        (Annotated[int | None, AtLeast(0)], "0", 0),
        (Id, "7", 7),
        (Id, "99999999999999999999", NO_ID),
        (Id, "-7", NO_ID),
        (list[Id], "[1, 9223372036854775808]", [1, NO_ID]),
    ],
)
def test_valid_parameters_are_parsed(annotation, text, value):
    found = read(annotation, text)

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "annotation, text, words",
    [
        (int, "five", "x is not valid JSON"),
        (int, '"5"', "x is not an integer"),
        (int, "5.0", "x is not an integer"),
        (int, "true", "x is not an integer"),
        (int, "null", "x is not an integer"),
        (int, "", "x is not valid JSON"),
        (int, "9" * 5000, "x is not valid JSON"),
        (int, str(2**63), "x is too large"),
        (int, str(-(2**63) - 1), "x is too small"),
        (bool, "yes", "x is not valid JSON"),
        (bool, "1", "x is not a boolean"),
        (bool, '"true"', "x is not a boolean"),
        (float, "NaN", "x is not valid JSON"),
        (float, "1e999", "x is not valid JSON"),
        (float, "1e300", "x is too large"),
        (float, '"1"', "x is not a number"),
        (list[int], "5", "x is not a list"),
        (list[int], "{}", "x is not a list"),
        (list[int], f"[{'1,' * 100_000}1]", "x is too long (limit: 100000 items)"),
        (list[int], " " * 2_000_001, "x is too long (limit: 2000000 characters)"),
        (list[int], "[1", "x is not valid JSON"),
        (list[int], '["5"]', "x[0] is not an integer"),
        (list[list[int]], "[[1], [1, true]]", "x[1][1] is not an integer"),
        (dict[str, str], '{"a": 1}', 'x["a"] is not a string'),
        (dict[str, str], "[]", "x is not a dict"),
        (Any, "[" * 33 + "]" * 33, "x is not valid JSON"),
        (Any, "[" * 100_000, "x is not valid JSON"),
        (Any, '{"a":' * 40 + "1" + "}" * 40, "x is not valid JSON"),
        (Any, r'"\ud800"', "x is not valid JSON"),
        (Literal["add", "remove"], "toggle", "Invalid x"),
        (Literal[1, 2], "3", "Invalid x"),
        (Literal[1, 2], "true", "Invalid x"),
        (Literal[1, 2], "[]", "Invalid x"),
        (bool | Literal["partial"], "maybe", "Invalid x"),
        (Annotated[str, Json], "soup", "x is not valid JSON"),
        (Annotated[str, Json], "5", "x is not a string"),
        (Annotated[Literal["inherit"], BareOrJson], "whatever", "Invalid x"),
        (list[str] | list[int], "{}", "x is not a list"),
        (list[str] | list[int], '[10, "a"]', "x[0] is not a string"),
        (int | list[int], '["a"]', "x[0] is not an integer"),
        (int | list[int], '"a"', "x is not an integer"),
        (int | GroupSetting, '"a"', "x is not an integer"),
        (int | GroupSetting, "everyone", "x is not valid JSON"),
        (int | GroupSetting, '{"new": 1}', 'x["direct_members"] field is missing: Field required'),
        (list[Sub], "[[]]", "x[0] is not a dict"),
        (list[Sub], "[{}]", 'x[0]["name"] field is missing: Field required'),
        (list[Sub], '[{"name": 5}]', 'x[0]["name"] is not a string'),
        (
            list[Sub],
            '[{"name": "a", "description": "abcdef"}]',
            'x[0]["description"] is too long (limit: 5 characters)',
        ),
        (
            list[Draft],
            '[{"type": "", "to": [], "content": "x", "id": 5}]',
            'Argument "id" at x[0]["id"] is unexpected',
        ),
        (
            Draft,
            '{"type": "", "to": [], "content": "x", "id": 5}',
            'Argument "id" at x["id"] is unexpected',
        ),
        (Draft, '{"type": "", "to": 5, "content": "x"}', 'x["to"] is not a list'),
        (Draft, '{"type": "", "to": [], "content": " "}', 'x["content"] cannot be blank'),
        (Draft, '{"type": "letter", "to": [], "content": "a"}', 'Invalid x["type"]'),
        (list[Term], "[{}]", "Invalid x[0]: Value error, operator is missing"),
        (list[Term], '[{"negated": "yes"}]', 'x[0]["negated"] is not a boolean'),
        (Annotated[str, NotBlank], " \t", "x cannot be blank"),
        (Annotated[str, MaxLength(60)], "s" * 61, "x is too long (limit: 60 characters)"),
        (str, "s" * 1_000_001, "x is too long (limit: 1000000 characters)"),
        (Annotated[list[int], MaxItems(2)], "[1,2,3]", "x is too long (limit: 2 items)"),
        (Annotated[int, AtLeast(0)], "-1", "x is too small"),
        (Annotated[int | None, AtLeast(1)], "0", "x is too small"),
        (Annotated[int, AtMost(10)], "11", "x is too large"),
        (Annotated[str, NoNul], "a\0b", "x must not contain null bytes"),
        (
            Annotated[int, OneOf([100, 200])],
            "55",
            "Invalid x: Value error, Not in the list of possible values",
        ),
        (
            Annotated[str, OneOf({"google", "text"})],
            "stone",
            "Invalid x: Value error, Not in the list of possible values",
        ),
        (Id, "five", "x is not valid JSON"),
        (Id, "5.0", "x is not an integer"),
    ],
)
def test_invalid_parameters_get_these_errors(annotation, text, words):
    assert complaint(annotation, text) == words


@pytest.mark.parametrize(
    "annotation, default, text, arguments",
    [
        (int | None, None, "null", {}),
        (bool, True, "null", {}),
        (list[int] | None, None, "null", {}),
        (str | int | None, None, "null", {}),
        (str | None, None, "null", {"x": "null"}),
        (int | None | msgspec.UnsetType, msgspec.UNSET, "null", {"x": None}),
        (int | None | msgspec.UnsetType, msgspec.UNSET, "5", {"x": 5}),
    ],
)
def test_null_counts_as_absent_where_json_is_optional(annotation, default, text, arguments):
    assert contract(annotation, default=default).parse({"x": text}) == arguments


@pytest.mark.parametrize(
    "annotation, default, text",
    [(bool, False, "null is not a boolean"), (int | None, None, "null is not an integer")],
)
def test_a_null_that_would_open_something_is_refused_in_a_form(annotation, default, text):
    wanted = contract(Annotated[annotation, NullRefused], default=default)

    with pytest.raises(ClientError) as caught:
        wanted.parse({"x": "null"})

    assert caught.value.msg == text.replace("null", "x")
    assert wanted.parse(read_json(b'{"x": null}')) == {}


@pytest.mark.parametrize(
    "annotation, default, body, arguments",
    [
        (str | None, None, '{"x": null}', {}),
        (str, "none", '{"x": null}', {}),
        (str, "none", '{"x": "null"}', {"x": "null"}),
        (int | None | msgspec.UnsetType, msgspec.UNSET, '{"x": null}', {"x": None}),
        (list[int] | None, None, '{"x": [1, 2]}', {"x": [1, 2]}),
        (str | int, "none", '{"x": "5"}', {"x": "5"}),
        (str | int, "none", '{"x": 5}', {"x": 5}),
        (Annotated[str, Json], "none", '{"x": "five"}', {"x": "five"}),
        (Annotated[str, Alias("y")], "none", '{"x": null, "y": "five"}', {"x": "five"}),
    ],
)
def test_a_member_of_a_json_body_is_taken_as_its_type(annotation, default, body, arguments):
    assert contract(annotation, default=default).parse(read_json(body.encode())) == arguments


@pytest.mark.parametrize(
    "annotation, body, words",
    [
        (str, '{"x": 5}', "x is not a string"),
        (str, '{"x": true}', "x is not a string"),
        (str, '{"x": {"a": 1}}', "x is not a string"),
        (str, '{"x": null}', "Missing 'x' argument"),
        (int, '{"x": "5"}', "x is not an integer"),
        (bool, '{"x": "true"}', "x is not a boolean"),
        (bool, '{"x": null}', "Missing 'x' argument"),
        (list[int], '{"x": "[1]"}', "x is not a list"),
    ],
)
def test_a_member_of_another_type_is_refused_in_a_json_body(annotation, body, words):
    with pytest.raises(ClientError) as caught:
        contract(annotation).parse(read_json(body.encode()))

    assert caught.value.msg == words


def test_a_missing_parameter_is_named():
    with pytest.raises(ClientError) as caught:
        contract(int).parse({})

    assert caught.value.msg == "Missing 'x' argument"
    assert caught.value.code == "BAD_REQUEST"


def test_the_first_problem_in_declared_order_is_reported():
    async def endpoint(call: Any, *, b: int, a: int, c: int) -> None:
        pass

    with pytest.raises(ClientError, match="b is not valid JSON"):
        contract_of(endpoint).parse({"a": "no", "b": "no"})
    with pytest.raises(ClientError, match="Missing 'b' argument"):
        contract_of(endpoint).parse({"a": "no", "c": "1"})


def test_an_older_name_is_accepted_but_not_both():
    topic = contract(Annotated[str | None, Alias("subject"), Stripped], default=None)

    assert topic.parse({"subject": " lunch "}) == {"x": "lunch"}
    assert topic.unsupported({"subject": "lunch"}) == []
    with pytest.raises(ClientError) as caught:
        topic.parse({"subject": "lunch", "x": "lunch"})
    assert caught.value.msg == "Can't decide between 'x' and 'subject' arguments"
    assert (caught.value.code, caught.value.extra()) == ("BAD_REQUEST", {})


def test_a_wire_name_may_differ_from_the_argument():
    kind = contract(Annotated[int, Name("type")])

    assert kind.parse({"type": "5"}) == {"x": 5}
    with pytest.raises(ClientError, match="type is not an integer"):
        kind.parse({"type": "[]"})


def test_parameters_of_another_variant_are_not_parsed():
    to = contract(Annotated[list[int], OnlyWith("type", "direct", None)] | None, default=None)

    assert to.parse({"x": "[1]"}) == to.parse({"x": "[1]", "type": "direct"}) == {"x": [1]}
    assert to.parse({"x": "nobody", "type": "channel"}) == {}
    assert to.unsupported({"x": "nobody", "type": "channel"}) == ["type"]
    with pytest.raises(ClientError, match="x is not valid JSON"):
        to.parse({"x": "nobody", "type": "direct"})


def test_unsupported_names_are_sorted_and_client_never_counts():
    given = {"zebra": "", "x": "1", "client": "me", "apple": ""}

    assert contract(int).unsupported(given) == ["apple", "zebra"]


def test_long_names_of_members_are_not_echoed_in_full():
    words = complaint(Draft, '{"type": "", "to": [], "content": "x", "%s": 1}' % ("k" * 5000))

    assert len(words) < 300


@pytest.mark.parametrize("annotation", [set, list[bytes], object, dict[int, str]])
def test_a_signature_without_a_wire_form_is_an_error_at_start(annotation):
    with pytest.raises(TypeError, match="no wire form"):
        contract(annotation)


ANNOTATIONS: list[Any] = [
    str,
    int,
    bool,
    float,
    Id,
    Any,
    list[int],
    dict[str, list[bool]],
    str | int | list[str] | list[int],
    int | GroupSetting,
    list[Draft],
    list[Term],
    Draft,
    Literal["a", 1, True],
    Annotated[str, BareOrJson, MaxLength(3)],
    Annotated[list[Annotated[str, NotBlank]], MaxItems(3)],
]
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text() | st.sampled_from(["type", "to", "content", "direct_members", "negated"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(ANNOTATIONS),
    st.text() | JSON_VALUES.map(lambda value: msgspec.json.encode(value).decode()),
)
def test_any_value_is_parsed_or_refused(annotation, text):
    with suppress(ClientError):
        read(annotation, text)
