"""The recipe of CONTRIBUTING.md for a personal setting, followed in a copy of the code."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli_runner import clean_environment

ROOT = Path(__file__).parents[1]
RECIPE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("**A setting of an ")[2]
ROW = '        PersonalSetting("fold_quotes", _READING, _SWITCH, False),\n'
LABEL = 'msgctxt "set.fold_quotes"\nmsgid "Fold long quotes"\nmsgstr ""\n\n'
DESCRIBE = "from tertulia.app import description; print(description().decode())"


@pytest.mark.thorough
def test_a_personal_setting_is_a_row_and_a_label(tmp_path):
    source = tmp_path / "src/tertulia"
    shutil.copytree(
        ROOT / "src/tertulia", source, ignore=shutil.ignore_patterns("static", "__pycache__")
    )

    def insert(path: str, text: str, before: str) -> None:
        assert f"`{path}`" in RECIPE
        file = source / path
        head, mark, rest = file.read_text("utf-8").partition(before)
        assert mark, before
        file.write_text(f"{head}{text}{mark}{rest}", "utf-8")

    def python(*words: str) -> str:
        environment = clean_environment(PYTHONPATH=f"{tmp_path / 'src'}:{ROOT}")
        return subprocess.run(
            [sys.executable, *words], env=environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    insert("domain/personal/settings.py", ROW, before='        PersonalSetting("enter_sends"')
    insert("locale/en.po", LABEL, before='msgctxt "set.enter_sends"')

    listed = python("-m", "tools.docs_pages", "personal-settings")
    assert "| `fold_quotes` | `false` | true or false | Reading: Fold long quotes. |" in listed
    described = json.loads(python("-c", DESCRIBE))
    changing = json.dumps(described["paths"]["/api/v1/settings"]["patch"])
    assert '"fold_quotes"' in changing
    assert '"fold_quotes"' in json.dumps(described["components"]["schemas"])
