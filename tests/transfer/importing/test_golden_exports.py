"""Small exports of each source, and the golden files with what is read from them.

`TERTULIA_TEST_WRITE_GOLDEN=1` writes the golden files; read the difference before a commit.
"""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.support.golden_dump import dump
from tests.support.import_target import enters, history

from tertulia.transfer.importing import formats

EXPORTS = Path(__file__).parent / "exports"
SOURCES = sorted(each.name for each in EXPORTS.iterdir() if each.is_dir())


@pytest.fixture
def export(request, tmp_path):
    """A copy of an export, so that the working tree stays as it is."""
    return Path(shutil.copytree(EXPORTS / request.param, tmp_path / request.param))


@pytest.mark.parametrize("export", SOURCES, indirect=True)
def test_an_export_is_read_as_its_golden_file_says(export):
    shown = dump(formats.open_export(export, export))

    golden = EXPORTS / f"{export.name}.txt"
    if os.environ.get("TERTULIA_TEST_WRITE_GOLDEN"):
        golden.write_text(shown)
    assert shown == golden.read_text()


@pytest.mark.on_one
@pytest.mark.parametrize("export", SOURCES, indirect=True)
def test_everything_in_an_export_is_imported_or_counted(target, export):
    foreseen = target.imports(str(export), "--dry-run", "--json")
    result = target.imports(str(export), "--json")

    assert result.code == 0, result.err
    assert result.out == foreseen.out
    for kind, counts in json.loads(result.out)["kinds"].items():
        assert counts["read"] == counts["imported"] + sum(counts["dropped"].values()), kind
    assert json.loads(result.out)["kinds"]["messages"]["imported"] > 0
    target.opens()


@pytest.mark.on_one
@pytest.mark.parametrize("export", ["discord"], indirect=True)
def test_a_discord_server_can_be_read_here(target, export):
    target.imports(str(export))
    bo = enters(target.opens(), "44@imported.invalid")

    shown = [each["content"] for each in history(bo, ("channel", "gemüse"))]
    (first, answer, *_) = shown
    assert '<span class="user-mention silent" data-user-id=' in first
    assert "&gt; Tomato blight" in first
    assert 'class="spoiler-block"' in first
    assert "SPOILER_leaf.png</a>" in first
    assert "</span> said:</p>\n<blockquote>" in answer
    assert "<p>Oh dear</p>" in answer
    (thread,) = {each["subject"] for each in history(bo, ("channel", "fragen"))}
    assert thread == "Tomato blight"
    assert len(history(bo, ("is", "dm"))) == 2
    streams = bo.get("/streams").succeeds()["streams"]
    assert {each["name"]: each["invite_only"] for each in streams} == {
        "fragen": True,
        "gemüse": True,
    }


@pytest.mark.on_one
def test_telegrams_html_format_is_refused_with_advice(target, tmp_path):
    (tmp_path / "chat").mkdir()
    (tmp_path / "chat" / "messages.html").write_text('<div class="page_wrap">')

    refused = target.imports(str(tmp_path / "chat"))

    assert refused.code == 1
    assert "is Telegram's HTML format. Export again with the format" in refused.err


@pytest.mark.on_one
@pytest.mark.parametrize("export", ["whatsapp"], indirect=True)
def test_times_without_a_zone_are_in_the_given_one(target, export):
    unknown = target.imports(str(export), "--timezone", "Sea/Atlantis")
    result = target.imports(str(export), "--timezone", "Europe/Berlin")
    lena = enters(target.opens(), "lena@imported.invalid")

    assert (unknown.code, "Sea/Atlantis is not a time zone" in unknown.err) == (2, True)
    assert "Warning" not in result.err
    first = history(lena, ("channel", "Bootsgruppe"))[0]
    assert first["timestamp"] == 1748859304 - 2 * 3600
    assert "Guten <strong>Morgen</strong> <span" in first["content"]
    assert len(history(lena, ("is", "dm"))) == 2
