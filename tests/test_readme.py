"""The commands of the README work, and it fits on one screen."""

import json
import re

import pytest
from tests.support import checkout
from tests.support.checkout import DEFAULT_PORT
from tests.support.ports import own_port

README = (checkout.ROOT / "README.md").read_text(encoding="utf-8")
ONE_SCREEN = 60  # lines


@pytest.mark.thorough
def test_the_readme_leads_to_an_owner_in_the_browser_and_a_message_by_the_api(tmp_path):
    start, send = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    port = str(own_port())
    checkout.write(tmp_path)

    with checkout.first_terminal(tmp_path, start, port) as link:
        checkout.create_owner(link, "ana@example.com")
        response = checkout.second_terminal(tmp_path, send.replace(DEFAULT_PORT, port))

    assert response.returncode == 0, response.stderr
    assert json.loads(response.stdout)["result"] == "success"


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= ONE_SCREEN
