"""The page's types are those of the API's description."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATOR = "openapi-typescript"


def test_the_types_of_the_page_are_up_to_date():
    if not (shutil.which(GENERATOR) or shutil.which(GENERATOR, path="node_modules/.bin")):
        pytest.skip("needs openapi-typescript (npm install -g openapi-typescript@7.13.0)")

    command = [sys.executable, "scripts/page_types.py"]
    written = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    kept = (ROOT / "src/tertulia/web/static/described.d.ts").read_text(encoding="utf-8")
    assert written == kept, "the API answers otherwise than the page's types say: make page-types"
