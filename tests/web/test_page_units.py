"""Unit tests of the page's stores and reducers. They run in Node, without a browser."""

import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parent / "units"
OLDEST_NODE = (18, 19)  # the first with module.register
TIMEOUT_SECONDS = 120


def node():
    found = shutil.which("node")
    if found is None:
        pytest.skip("needs Node (apt-get install nodejs)")
    version = subprocess.run(
        [found, "--version"], capture_output=True, text=True, check=True
    ).stdout
    if tuple(int(part) for part in version.strip().lstrip("v").split(".")[:2]) < OLDEST_NODE:
        pytest.skip(
            f"needs Node {'.'.join(map(str, OLDEST_NODE))} or newer, found {version.strip()}"
        )
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in UNITS.glob("*.test.mjs")))
def test_unit_tests_of_the_page_pass(name):
    command = [node(), "--import", "./setup.mjs", "--test-reporter=spec", name]

    result = subprocess.run(
        command, cwd=UNITS, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "tests 0" not in result.stdout
