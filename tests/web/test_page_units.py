"""Unit tests of the page's stores and reducers. They run in Node, without a browser."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tertulia import locale
from tertulia.locale import LANGUAGES
from tertulia.web import chunk_texts

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
def test_unit_tests_of_the_page_pass(name, tmp_path):
    command = [node(), "--import", "./setup.mjs", "--test-reporter=spec", name]
    texts = tmp_path / "texts.mjs"
    english = locale.catalogue("en")
    texts.write_text(chunk_texts.initial_module(english, "en", english.texts), encoding="utf-8")

    result = subprocess.run(
        command,
        cwd=UNITS,
        env={**os.environ, "TERTULIA_TEST_TEXTS": texts.as_uri()},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert "tests 0" not in result.stdout


# Categories of CLDR in the order of the forms of a catalogue.
CATEGORIES = {"ar": ["zero", "one", "two", "few", "many", "other"], "ja": ["other"]}
COMPARE = """
const [language, rule, categories] = JSON.parse(process.argv[1]);
const form = new Function("n", `return Number(${rule});`);
const names = new Intl.PluralRules(language);
for (let n = 0; n < 100_000; n++)
  if (categories[form(n)] !== names.select(n)) throw new Error(`${n}: ${names.select(n)}`);
"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plural_rule_of_a_catalogue_is_that_of_browsers(language):
    rule = locale.catalogue(language).plural_rule
    given = [language, rule, CATEGORIES.get(language, ["one", "other"])]

    subprocess.run([node(), "--eval", COMPARE, json.dumps(given)], check=True)
