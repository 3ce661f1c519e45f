"""The page's types are those of the API's description."""

from pathlib import Path

import pytest
from scripts import page_types

KEPT = Path(__file__).parents[2] / "src/tertulia/web/static/api_schema.d.ts"


def test_the_types_of_the_page_are_up_to_date():
    kept = KEPT.read_text(encoding="utf-8")

    problem = "the API answers otherwise than the page's types say: make page-types"
    assert page_types.digest() in kept, problem


@pytest.mark.soak
def test_the_types_equal_the_generator_output():
    generator = page_types.generator()
    if generator is None:
        pytest.skip(f"needs openapi-typescript (npm install -g {page_types.VERSION})")

    assert page_types.types(generator) == KEPT.read_text(encoding="utf-8")
