"""Sources and the HTML they become, in the tables under `cases/`.

A line is `source → html`, with ⏎ for a newline. What the names in them refer to is in `world.py`.
"""

from pathlib import Path

import pytest
from tests.markdown.sample_names import html

TABLES = sorted(Path(__file__).parent.glob("cases/*.txt"))


def cases() -> list[object]:
    return [
        pytest.param(*line.replace("⏎", "\n").split(" → ", 1), id=f"{table.stem}:{number}")
        for table in TABLES
        for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), start=1)
    ]


@pytest.mark.parametrize("source, expected", cases())
def test_a_source_becomes_its_html(source: str, expected: str) -> None:
    assert html(source) == expected


def test_there_are_enough_cases() -> None:
    assert len(cases()) >= 250
