"""The package: it holds all that the server needs, and says what it is."""

import hashlib
import os
import pty
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tertulia import __version__
from tertulia.cli import selftest

ROOT = Path(__file__).parents[1]
DOCUMENTS = ".data/data/share/doc/tertulia/"


def test_the_package_has_the_version_of_the_server():
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert found["version"] == __version__
    assert all(">=" in each for each in found["dependencies"]), "a dependency has no bounds"


def test_the_wheel_contains_every_source_file_and_linked_page(tmp_path):
    subprocess.run(["cp", "-r", *map(str, _needed()), str(tmp_path)], check=True)
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)

    (wheel,) = (tmp_path / "dist").glob("tertulia-*.whl")
    with zipfile.ZipFile(wheel) as package:
        packed = set(package.namelist())
        about = package.read(f"tertulia-{__version__}.dist-info/METADATA").decode()

    missing = _sources() - packed
    assert not missing, f"pyproject.toml, package-data: {sorted(missing)}"
    assert "# Tertulia" in about
    pages = {each.partition(DOCUMENTS)[2] for each in packed if DOCUMENTS in each}
    dead = {link for page in pages if page.endswith(".md") for link in _links(page)} - pages
    assert "docs/getting-started.md" in pages
    assert not dead, f"pyproject.toml, data-files: {sorted(dead)}"


def _needed() -> list[Path]:
    documents = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "packaging")
    return [ROOT / name for name in ("pyproject.toml", "README.md", "src", *documents)]


def _links(page: str) -> set[str]:
    """The files that a page leads to, seen from the root."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", text)
    return {
        (ROOT / page).parent.joinpath(each).resolve().relative_to(ROOT).as_posix() for each in found
    }


def _sources() -> set[str]:
    files = (ROOT / "src" / "tertulia").rglob("*")
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }


# --- make install ---

FAKE_PIP = """
import sys
print("Collecting alpha==1.0 (from -r requirements.txt (line 1))")
print("Requirement already satisfied: beta==2.0 in /somewhere")
print("Installing collected packages: alpha")
print("ERROR: there is no room")
sys.exit(int(len(sys.argv) < 3))
"""


@pytest.fixture
def pip(tmp_path: Path) -> dict[str, str]:
    """An environment with a pip that only says what it would do."""
    (tmp_path / "pip.py").write_text(FAKE_PIP, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("alpha==1.0 \\\n  --hash=x\nbeta==2.0\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def test_installing_shows_progress_without_a_terminal(tmp_path, pip):
    command = [sys.executable, str(ROOT / "scripts/install.py"), str(tmp_path / "requirements.txt")]
    done = subprocess.run(command, env=pip, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "  2 of 2 packages: unpacking\n"


def test_installing_redraws_one_line_at_a_terminal(tmp_path, pip):
    command = [sys.executable, str(ROOT / "scripts/install.py"), str(tmp_path / "requirements.txt")]
    leader, follower = pty.openpty()
    subprocess.run(command, env=pip, stdout=follower, check=True)
    shown = os.read(leader, 10_000).decode()

    lines = ["1 of 2 packages: alpha", "2 of 2 packages: beta", "2 of 2 packages: unpacking"]
    assert [each.strip() for each in shown.split("\r\x1b[K") if each] == lines


def test_a_failed_installation_shows_the_output_of_pip(tmp_path, pip):
    (tmp_path / "pip.py").write_text(FAKE_PIP.replace("< 3", "< 99"), encoding="utf-8")
    command = [sys.executable, str(ROOT / "scripts/install.py"), str(tmp_path / "requirements.txt")]
    done = subprocess.run(command, env=pip, capture_output=True, text=True)

    assert done.returncode == 1
    assert "ERROR: there is no room" in done.stderr


# --- make release ---


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("a release is built from a git checkout")
    folder = tmp_path_factory.mktemp("release") / "dist"
    command = [sys.executable, str(ROOT / "scripts/release.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_a_release_has_packages_context_notes_and_checksums(release):
    names = {path.name for path in release.iterdir()}
    sums = dict(
        reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines()
    )

    assert names == {
        f"tertulia-{__version__}.tar.gz",
        f"tertulia-{__version__}-py3-none-any.whl",
        f"tertulia-{__version__}-container.tar.gz",
        "RELEASE_NOTES.md",
        "SHA256SUMS",
    }
    for name in names - {"SHA256SUMS"}:
        assert sums[name] == hashlib.sha256((release / name).read_bytes()).hexdigest()
    assert (release / "RELEASE_NOTES.md").read_text().startswith(f"# Tertulia {__version__}\n\n")


def test_the_container_context_holds_what_the_containerfile_copies(release):
    with tarfile.open(release / f"tertulia-{__version__}-container.tar.gz") as context:
        files = {each.removeprefix("tertulia/") for each in context.getnames()}
    text = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")

    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert any(each == source or each.startswith(f"{source}/") for each in files), source


def test_the_wheel_passes_the_self_test(release, tmp_path):
    with zipfile.ZipFile(release / f"tertulia-{__version__}-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path)
    run = "from tertulia.cli import main; main(['selftest'])"
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TERTULIA_")}
    done = subprocess.run(
        [sys.executable, "-c", run],
        env={**kept, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    steps = [line.split("  ")[0].strip() for line in done.stdout.splitlines()[:-1]]
    assert steps == ["start", "first owner", "first message", "restart", "backup", "restore"]


def test_a_failed_self_test_says_why(monkeypatch):
    monkeypatch.setattr(selftest, "COMMAND", [sys.executable, "-c", "print('no'); exit(3)"])
    done = CliRunner().invoke(selftest.selftest)

    assert done.exit_code == 1
    assert "the server did not start" in done.output
