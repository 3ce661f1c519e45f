"""The table of what can be done where."""

import re
from functools import cache

import pytest

from tertulia.api.routes import ROUTES
from tertulia.cli.docs_where import call_of, page_calls, where_page
from tertulia.web.assets import STATIC

IMPORTED = re.compile(r'import \{ (.*) \} from "[./]*core/api.js"')
VERBS = {"get", "post", "patch", "put", "remove"}


@cache
def lines() -> list[str]:
    return where_page().splitlines()


def row(call: str) -> list[str]:
    (line,) = (each for each in lines() if f"`{call}`" in each)
    return [cell.strip() for cell in line.split("|")[1:-1]]


@pytest.mark.parametrize(
    "call, in_page",
    [
        ("GET /realm/audit_log", "yes"),
        ("POST /users/{user_id}/api_key/regenerate", "yes"),  # its path is in a variable
        ("PATCH /realm/user_settings_defaults", "yes"),  # in a list
        ("DELETE /realm/agents/{agent_id}", "yes"),  # in a parameter
        ("POST /realm/icon", "yes"),  # an upload
        ("DELETE /users/{email}", ""),  # the page uses ids
        ("POST /bots/{bot_id}/api_key/regenerate", ""),
        ("PUT /bot_storage", ""),
    ],
)
def test_the_table_knows_what_the_page_calls(call, in_page):
    assert row(call)[1] == in_page


def test_a_command_stands_beside_the_call_with_the_same_action():
    assert "`tertulia user second-factor`" in row("DELETE /users/{user_id}/second_factor")[3]


def test_every_call_of_the_page_can_be_read():
    """A call with a path that the table cannot find would be missing in it."""
    assert page_calls() & {call_of(each) for each in ROUTES}
    for path in STATIC.glob("*/*.js"):
        source = path.read_text(encoding="utf-8")
        imported = IMPORTED.search(source)
        verbs = VERBS & set(imported[1].split(", ")) if imported else set()
        for verb in verbs:
            assert not re.search(
                rf"(?<![.\w#]){verb}\((?!\s*[\"`/]|path\b|\w+ \? path\b)", source
            ), path
