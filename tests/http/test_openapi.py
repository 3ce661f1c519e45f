"""The description of the API, drawn from the signatures."""

import jsonschema
import msgspec
import pytest
from tests.http.sample_api import ROUTES, SampleApi

from tertulia.http.openapi import describe


@pytest.fixture
def document() -> dict[str, object]:
    return describe(ROUTES, title="Kitchen", version="1")


def operation(document, method, path):
    return document["paths"]["/api/v1" + path][method]


def test_every_route_and_every_referenced_schema_is_described(document):
    described = {
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    }

    assert described == {(route.method, "/api/v1" + route.path) for route in ROUTES}
    for name in set(refs(document)):
        _, _, kind, which = name.split("/")
        assert which in document["components"][kind]


def test_the_description_is_deterministic(document):
    again = describe(reversed(ROUTES), title="Kitchen", version="1")

    assert msgspec.json.encode(again) == msgspec.json.encode(document)


def test_parameters_of_get_are_in_the_query(document):
    pots = operation(document, "get", "/pots")

    assert pots["summary"] == "Lists the pots"
    assert pots["security"] == []
    assert pots["parameters"] == [
        {
            "name": "sizes",
            "in": "query",
            "required": False,
            "schema": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": {"type": "array", "items": {"type": "integer"}},
            },
        },
        {
            "name": "hot",
            "in": "query",
            "required": False,
            "schema": {"type": "boolean", "default": False},
        },
    ]


def test_parameters_of_post_are_in_a_form_or_in_json(document):
    body = operation(document, "post", "/pots")["requestBody"]

    content = {
        "schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 10},
                "kind": {
                    "enum": ["soup", "stew"],
                    "default": "soup",
                    "description": "What is in it.",
                },
                "topic": {"type": "string"},
                "subject": {
                    "type": "string",
                    "description": "The older name of `topic`.",
                    "deprecated": True,
                },
            },
            "required": ["name"],
        }
    }
    assert body == {
        "required": False,
        "content": {"application/json": content, "application/x-www-form-urlencoded": content},
    }


def test_a_path_parameter_and_a_field_have_the_descriptions_of_their_types(document):
    (parameter,) = operation(document, "get", "/pots/{pot_id}")["parameters"]
    fields = document["components"]["schemas"]["Pot"]["properties"]

    assert parameter["description"] == "The number of the pot."
    assert fields["pot_id"] == {
        "type": "integer",
        "description": "The number of the pot.",
        "examples": [7],
    }
    assert fields["owner"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}],
        "description": "The cook.",
    }


def test_an_endpoint_with_files_has_a_multipart_form(document):
    assert (
        "multipart/form-data"
        in operation(document, "post", "/deliveries")["requestBody"]["content"]
    )


def test_answers_match_their_description(document, sample_api: SampleApi):
    for path, described in [("/pots?hot=true&x=1", "/pots"), ("/pots/7", "/pots/{pot_id}")]:
        content = operation(document, "get", described)["responses"]["200"]["content"]
        schema = {**content["application/json"]["schema"], "components": document["components"]}

        jsonschema.validate(sample_api.get(path).json(), schema)


def refs(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from refs(each)
