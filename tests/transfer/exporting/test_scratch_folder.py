"""Scratch folders of exports: deleted after use, and by the next export after a kill."""

import subprocess
import sys
import textwrap

import pytest

from tertulia.transfer.exporting.scratch_folder import NAME, open_scratch


def folders(data):
    return [each for each in (data / NAME).iterdir() if each.is_dir()]


@pytest.fixture
def killed(tmp_path):
    """A process that was killed during its export."""
    script = f"""
        import os, pathlib, signal
        from tertulia.transfer.exporting.scratch_folder import open_scratch
        with open_scratch(pathlib.Path({str(tmp_path)!r})) as folder:
            (folder / "page.html").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)


def test_a_folder_is_deleted_after_use_and_after_an_error(tmp_path):
    with open_scratch(tmp_path) as folder:
        (folder / "page.html").write_text("whole")
    with pytest.raises(ZeroDivisionError), open_scratch(tmp_path):
        raise ZeroDivisionError

    assert folders(tmp_path) == []


def test_the_folder_of_a_killed_export_is_deleted_by_the_next(tmp_path, killed):
    (left,) = folders(tmp_path)

    with open_scratch(tmp_path) as folder:
        assert folders(tmp_path) == [folder.parent]

    assert not left.exists()


def test_the_folder_of_a_running_export_stays(tmp_path):
    with open_scratch(tmp_path) as first, open_scratch(tmp_path) as second:
        assert first.exists()
        assert first != second
