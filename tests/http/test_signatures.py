"""Signatures made from a table are contracts like any other."""

import inspect
from typing import Annotated, Any

import pytest

from tertulia.errors import BadRequest
from tertulia.errors.parameters import MissingParameter
from tertulia.http.parameter_rules import OneOf
from tertulia.http.params import contract_of
from tertulia.http.signatures import accepts, parameters_from

TABLE = {"loud": bool, "color": Annotated[int, OneOf([1, 2])]}


@accepts(TABLE)
async def endpoint(call: object, number: int, *, name: str = "", **values: Any) -> None:
    """Change something."""


def mood(color: int, *, loud: bool = False, words: str) -> None:
    """What an endpoint shares with others."""


@parameters_from(mood)
async def sharing(call: object, number: int, *, name: str = "", **values: Any) -> None:
    pass


def test_every_name_of_the_table_is_an_optional_parameter():
    contract = contract_of(endpoint)

    assert contract.names == {"name", "loud", "color"}
    assert contract.path_types == {"number": int}
    assert contract.parse({}) == {}
    assert contract.parse({"loud": "true", "color": "2", "name": "x"}) == {
        "loud": True,
        "color": 2,
        "name": "x",
    }
    assert contract.unsupported({"mood": "1"}) == ["mood"]


def test_the_rules_of_the_table_hold():
    with pytest.raises(BadRequest, match="Invalid color: Value error"):
        contract_of(endpoint).parse({"color": "3"})


def test_the_decorated_function_keeps_docstring_and_kind():
    assert inspect.getdoc(endpoint) == "Change something."
    assert inspect.iscoroutinefunction(endpoint)


def test_shared_parameters_are_taken_from_the_other_function():
    contract = contract_of(sharing)

    assert [each.name for each in contract.parameters] == ["name", "loud", "words"]
    assert contract.parse({"words": "hush"}) == {"words": "hush"}
    with pytest.raises(MissingParameter, match="words"):
        contract.parse({"loud": "true"})
