"""The README's commands work for an ordinary user in a fresh clone, and it fits on one screen."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import checkout
from tests.support.checkout import DEFAULT_PORT
from tests.support.ports import own_port

README = (checkout.ROOT / "README.md").read_text(encoding="utf-8")
START, SEND, TEST = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
ONE_SCREEN = 60  # lines

# Tests that depend on who runs them: files, ports and programs of the system. The environment
# narrows `make test` to them, because `.ci/run` runs all tests itself.
TESTS_OF_THE_SYSTEM = (
    "tests/config tests/abuse/test_file_modes.py tests/server/test_process.py"
    " tests/test_documented_configuration.py"
)


@pytest.fixture
def clone() -> Iterator[Path]:
    with checkout.cloned() as folder:
        yield folder


def test_the_two_commands_of_a_newcomer_are_shown():
    assert (START, TEST) == ("make serve\n", "make test\n")


@pytest.mark.thorough
def test_the_readme_leads_to_an_owner_in_the_browser_and_a_message_by_the_api(clone):
    port = str(own_port())

    with checkout.first_terminal(clone, START, port) as link:
        checkout.create_owner(link, "ana@example.com")
        response = checkout.second_terminal(clone, SEND.replace(DEFAULT_PORT, port))

    assert response.returncode == 0, response.stderr
    assert json.loads(response.stdout)["result"] == "success"


@pytest.mark.thorough
def test_make_test_passes_for_an_ordinary_user_in_a_fresh_clone(clone):
    response = checkout.second_terminal(clone, TEST, ARGS=f"--sqlite -n 0 {TESTS_OF_THE_SYSTEM}")

    assert response.returncode == 0, response.stdout[-5000:] + response.stderr
    assert int(re.findall(r"(\d+) passed", response.stdout)[-1]) > 50


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= ONE_SCREEN
